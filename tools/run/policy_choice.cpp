#include "run/policy_choice.h"

#include "base/escape.h"
#include "config/config.h"
#include "os/files.h"
#include "run/say.h"
#include "workspace/find.h"

namespace sluice::run {
namespace {

Result<std::string> read_as(const std::string& file, const std::optional<os::Identity>& reader) {
    std::optional<os::ActingAs> acting;
    if (reader) {
        SLUICE_ASSIGN(auto begun, os::ActingAs::begin(*reader));
        acting.emplace(std::move(begun));
    }
    return os::read_file(file, config::kMaxPolicyText);
}

constexpr const char* kDenyAll =
    "no policy: every connection is refused; allow some with --policy FILE or --allow HOST:PORT";

std::string found_note(const std::filesystem::path& found, bool have_allow) {
    return "'" + printable(found.string()) +
           "' was found but is not in force; to use it: --policy " +
           shell_quote(printable(found.string())) +
           (have_allow ? "; only the --allow rules are in force"
                       : "; until then every connection is refused");
}

}  // namespace

Result<PolicyChoice> choose_policy(const std::optional<std::string>& policy, bool have_allow,
                                   const std::filesystem::path& working_dir,
                                   const std::optional<os::Identity>& reader) {
    PolicyChoice choice;
    if (policy) {
        auto text = read_as(*policy, reader);
        if (!text) {
            Error error = std::move(text).error();
            error.code = Errc::kInvalid;
            return std::move(error).context("--policy");
        }
        choice.policy = {.path = *policy, .text = std::move(*text)};
        return choice;
    }
    if (const auto found = workspace::find_policy(working_dir))
        choice.notes.push_back(found_note(*found, have_allow));
    else if (!have_allow)
        choice.notes.emplace_back(kDenyAll);
    return choice;
}

}  // namespace sluice::run
