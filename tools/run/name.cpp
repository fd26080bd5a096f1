#include "run/name.h"

namespace sluice::run {
namespace {

constexpr std::size_t kLongest = 63;

bool letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool valid_name(std::string_view name) {
    if (name.empty() || name.size() > kLongest || !letter_or_digit(name[0])) return false;
    for (const char c : name)
        if (!letter_or_digit(c) && c != '.' && c != '_' && c != '-') return false;
    return true;
}

std::string default_name(std::string_view command, pid_t pid) {
    const std::string suffix = "-" + std::to_string(pid);
    const std::string_view base = command.substr(command.find_last_of('/') + 1);
    std::string name;
    for (const char raw : base) {
        const char c = lower(raw);
        const bool inner = !name.empty() && (c == '.' || c == '_' || c == '-');
        if (letter_or_digit(c) || inner) name += c;
    }
    if (name.empty()) name = "run";
    return name.substr(0, kLongest - suffix.size()) + suffix;
}

}  // namespace sluice::run
