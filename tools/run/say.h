// Words for the person at the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::run {

// "sluice: LINE\n" to stderr, in one write: lines of two processes don't mix.
void say(std::string_view line);

// As a POSIX shell reads it back: plain words stay plain, the rest is single-quoted.
std::string shell_quote(std::string_view word);
std::string shell_line(const std::vector<std::string>& words);

}  // namespace sluice::run
