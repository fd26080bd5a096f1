// Text chosen by someone inside a sandbox, made fit for a terminal, a log line or a report.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Printable text stays as it is (valid UTF-8 included). Control characters, invalid UTF-8, Unicode
// controls that reorder or hide text (bidi, zero-width, line separators) and the backslash come out
// as \n, \t, \r, \\, \xHH or \u{HEX}: one line, and two different inputs never look the same.
std::string printable(std::string_view untrusted);

}  // namespace sluice
