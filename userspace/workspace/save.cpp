#include "workspace/save.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <ctime>

#include "base/escape.h"
#include "base/unique_fd.h"
#include "config/config.h"
#include "os/files.h"
#include "os/identity.h"
#include "workspace/edit.h"
#include "workspace/find.h"

namespace sluice::workspace {
namespace {

namespace fs = std::filesystem;

// Two adds at once would lose one. The directory is locked, as a rename replaces the file.
Result<UniqueFd> lock_beside(const fs::path& file, std::chrono::milliseconds patience) {
    const fs::path dir = file.has_parent_path() ? file.parent_path() : fs::path(".");
    UniqueFd fd(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return Error::from_errno("open '" + dir.string() + "'");
    const auto give_up = std::chrono::steady_clock::now() + patience;
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EINTR && errno != EWOULDBLOCK)
            return Error::from_errno("lock '" + dir.string() + "'");
        if (std::chrono::steady_clock::now() >= give_up)
            return Error::failed("'" + printable(dir.string()) +
                                 "' is locked: another `sluice add` is writing there, or a program "
                                 "holds a lock on the folder (`lsof` or /proc/locks show which)");
        // A lock's end can't be waited for with a limit; asked again a little later.
        const timespec pause{.tv_sec = 0, .tv_nsec = 20'000'000};
        ::ppoll(nullptr, 0, &pause, nullptr);
    }
    return fd;
}

// The file's text; empty, and `created` set, when there is none yet.
Result<std::string> read_or_new(const fs::path& file, bool& created) {
    auto text = os::read_file(file, config::kMaxPolicyText);
    created = !text && text.error().sys_errno == ENOENT;
    if (created) return std::string();
    return text;
}

std::string shown(const fs::path& file, const fs::path& from) {
    const fs::path relative = file.lexically_proximate(from);
    const bool below = !relative.empty() && *relative.begin() != "..";
    return printable((below ? relative : file).string());
}

void describe(AddResult& result, const fs::path& from) {
    const std::string name = shown(result.file, from);
    for (const auto& entry : result.there) result.lines.push_back(entry + " is already there");
    for (const auto& entry : result.added) result.lines.push_back("added " + entry);
    if (result.added.empty()) {
        result.lines.push_back("nothing to change in " + name);
        return;
    }
    result.lines.push_back((result.created ? "created " : "written to ") + name +
                           "; takes effect at the next `sluice run --policy " + name + "`");
}

}  // namespace

Result<AddResult> add(const AddRequest& request, const fs::path& from) {
    if (request.entries.empty()) return Error::invalid("nothing to add; write HOST:PORT");
    SLUICE_ASSIGN(const auto invoker, os::sudo_invoker());
    std::optional<os::ActingAs> acting;
    if (invoker) {
        SLUICE_ASSIGN(auto begun, os::ActingAs::begin(*invoker));
        acting.emplace(std::move(begun));
    }
    AddResult result;
    const auto found = request.policy ? request.policy : find_policy(from);
    result.file = found.value_or(default_policy_path(from));
    SLUICE_ASSIGN(const UniqueFd lock, lock_beside(result.file, request.patience));
    SLUICE_ASSIGN(const std::string text, read_or_new(result.file, result.created));
    SLUICE_ASSIGN(Edited edited, add_static_tcp(text, shown(result.file, from), request.entries));
    if (!edited.added.empty()) SLUICE_TRY(os::write_file_atomic(result.file, edited.text));
    result.added = std::move(edited.added);
    result.there = std::move(edited.there);
    describe(result, from);
    return result;
}

}  // namespace sluice::workspace
