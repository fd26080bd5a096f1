// Words for the person at the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::run {

// "sluice: LINE\n" to stderr, in one write: lines of two processes don't mix.
void say(std::string_view line);
// The same for each line of an error, escaped: it may quote the agent, or a file.
void say_error(std::string_view message);

// As a POSIX shell reads it back: plain words stay plain, the rest is single-quoted.
std::string shell_quote(std::string_view word);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace sluice::run
