#include "run/say.h"

#include <unistd.h>

#include <algorithm>

#include "base/escape.h"
#include "os/files.h"

namespace sluice::run {

void say(std::string_view line) {
    // A closed stderr is no reason to stop.
    (void)os::write_fd(STDERR_FILENO, "sluice: " + std::string(line) + "\n");
}

void say_error(std::string_view message) {
    while (!message.empty()) {
        const auto end = std::min(message.find('\n'), message.size());
        say(printable(message.substr(0, end)));
        message.remove_prefix(std::min(end + 1, message.size()));
    }
}

std::string shell_quote(std::string_view word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
        return std::string(word);
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'') {
            quoted += R"('\'')";
        } else {
            quoted += c;
        }
    }
    return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
    std::string line;
    for (const auto& word : words) {
        if (!line.empty()) line += ' ';
        line += shell_quote(word);
    }
    return line;
}

}  // namespace sluice::run
