#include "workspace/toml_text.h"

#include <algorithm>

namespace sluice::workspace {
namespace {

bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Past the string that begins at `at`, of any of TOML's four kinds.
std::size_t skip_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const bool multi = text.substr(at, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
    std::size_t i = at + (multi ? 3 : 1);
    while (i < text.size()) {
        if (quote == '"' && text[i] == '\\') {
            i += 2;
        } else if (text[i] != quote) {
            ++i;
        } else if (!multi) {
            return i + 1;
        } else {
            // Up to two quotes may stand right before the closing three.
            const std::size_t run = std::min(text.find_first_not_of(quote, i), text.size()) - i;
            i += run;
            if (run >= 3) return i;
        }
    }
    return text.size();
}

std::size_t skip_comment(std::string_view text, std::size_t at) {
    return std::min(text.find('\n', at), text.size());
}

}  // namespace

std::optional<Brackets> brackets_at(std::string_view text, std::size_t open) {
    Brackets found{.open = open, .close = 0, .items = {}, .trailing_comma = {}};
    std::optional<Span> item;
    int depth = 0;
    for (std::size_t i = open; i < text.size();) {
        const char c = text[i];
        const std::size_t begin = i;
        if (c == '#') {
            i = skip_comment(text, i);
            continue;
        }
        i = c == '"' || c == '\'' ? skip_string(text, i) : i + 1;
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        const bool ends = depth == 0;
        const bool comma = depth == 1 && c == ',';
        if ((ends || comma) && item) {
            found.items.push_back(*item);
            item.reset();
            found.trailing_comma.reset();
        }
        if (ends) {
            found.close = begin;
            return found;
        }
        if (comma) found.trailing_comma = begin;
        if (comma || blank(c) || begin == open) continue;
        if (!item) item = Span{begin, i};
        item->end = i;
    }
    return std::nullopt;
}

std::size_t offset_of(std::string_view text, std::size_t line, std::size_t column) {
    std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
    for (; line > 1 && at < text.size(); --line) at = next_line(text, at);
    for (; column > 1 && at < text.size(); --column) {
        ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) ++at;
    }
    return at;
}

std::size_t line_begin(std::string_view text, std::size_t at) {
    if (at == 0) return 0;
    const auto newline = text.rfind('\n', at - 1);
    return newline == std::string_view::npos ? 0 : newline + 1;
}

std::size_t next_line(std::string_view text, std::size_t at) {
    const auto newline = text.find('\n', at);
    return newline == std::string_view::npos ? text.size() : newline + 1;
}

std::string_view newline_of(std::string_view text) {
    const auto newline = text.find('\n');
    const bool crlf = newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r';
    return crlf ? "\r\n" : "\n";
}

std::optional<std::string_view> indent_before(std::string_view text, std::size_t at) {
    const std::size_t begin = line_begin(text, at);
    const std::string_view before = text.substr(begin, at - begin);
    if (before.find_first_not_of(" \t") != std::string_view::npos) return std::nullopt;
    return before;
}

}  // namespace sluice::workspace
