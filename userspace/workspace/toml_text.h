// Places in a TOML text that its parser doesn't tell: where a bracket closes, where items begin.
// Only for text that has parsed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice::workspace {

// Half-open byte ranges.
struct Span {
    std::size_t begin = 0, end = 0;
};

// What a pair of brackets at one place encloses.
struct Brackets {
    std::size_t open = 0, close = 0;  // of the bracket characters themselves
    std::vector<Span> items;          // between the commas, without blanks and comments around them
    std::optional<std::size_t> trailing_comma;
};
// The array or inline table whose '[' or '{' is at `open`. nullopt when nothing closes it.
std::optional<Brackets> brackets_at(std::string_view text, std::size_t open);

// Byte offset of a parser position: lines and columns from 1, columns in code points.
std::size_t offset_of(std::string_view text, std::size_t line, std::size_t column);

std::size_t line_begin(std::string_view text, std::size_t at);
// Past the line's end, its newline included.
std::size_t next_line(std::string_view text, std::size_t at);
// "\r\n" when the first line ends so, else "\n".
std::string_view newline_of(std::string_view text);
// The blanks that the line of `at` begins with; nullopt when something else stands before `at`.
std::optional<std::string_view> indent_before(std::string_view text, std::size_t at);

}  // namespace sluice::workspace
