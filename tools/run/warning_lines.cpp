#include "run/warning_lines.h"

#include "base/escape.h"

namespace sluice::run {
namespace {

using nlohmann::json;

std::string text_of(const json& warning, const char* key) {
    const auto found = warning.find(key);
    return found != warning.end() && found->is_string() ? found->get<std::string>() : "";
}

// {text, remedy, ...}, or plain text.
std::string line_of(const json& warning) {
    if (warning.is_string()) return printable(warning.get<std::string>());
    if (!warning.is_object())
        return printable(warning.dump(-1, ' ', false, json::error_handler_t::replace));
    const std::string remedy = text_of(warning, "remedy");
    return printable(text_of(warning, "text") + (remedy.empty() ? "" : "; " + remedy));
}

bool is_told(const json& warning) {
    return !warning.is_object() || text_of(warning, "severity") != "note" ||
           text_of(warning, "code") == "preset_hosts";
}

}  // namespace

std::vector<std::string> warning_lines(const json& warnings) {
    std::vector<std::string> lines;
    if (!warnings.is_array()) return lines;
    for (const json& one : warnings)
        if (is_told(one)) lines.push_back(line_of(one));
    return lines;
}

}  // namespace sluice::run
