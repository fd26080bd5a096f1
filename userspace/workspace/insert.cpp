#include "workspace/insert.h"

namespace sluice::workspace {
namespace {

std::string splice(std::string_view text, std::size_t at, std::string_view piece) {
    return std::string(text.substr(0, at)).append(piece).append(text.substr(at));
}

std::string joined(const std::vector<std::string>& items) {
    std::string list;
    for (const auto& item : items) list += (list.empty() ? "" : ", ") + item;
    return list;
}

bool one_line(std::string_view text, const Brackets& array) {
    return text.substr(array.open, array.close - array.open).find('\n') == std::string_view::npos;
}

// Lines for the items, each ending in a comma where `comma` says so; the last without a newline.
std::string lines_of(const std::vector<std::string>& items, std::string_view indent,
                     std::string_view newline, bool last_comma) {
    std::string lines;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool last = i + 1 == items.size();
        lines.append(newline).append(indent).append(items[i]);
        if (!last || last_comma) lines += ",";
    }
    return lines;
}

// The end of the text of `at`'s line (a comment belongs to it), before its newline.
std::size_t line_end(std::string_view text, std::size_t at) {
    std::size_t end = next_line(text, at);
    if (end > at && text[end - 1] == '\n') --end;
    if (end > at && text[end - 1] == '\r') --end;
    return end;
}

std::string insert_into_empty(std::string_view text, const Brackets& array,
                              const std::vector<std::string>& items) {
    if (one_line(text, array)) {
        std::string out(text.substr(0, array.open + 1));
        return out.append(joined(items)).append(text.substr(array.close));
    }
    // Blanks or comments only: behind the last of these lines, indented like it.
    const std::size_t closing = line_begin(text, array.close);
    const std::size_t previous = line_begin(text, closing - 1);
    const std::size_t comment = text.find_first_not_of(" \t", previous);
    const bool like_comment = text[comment] == '#' && previous > array.open;
    const std::string indent =
        like_comment ? std::string(text.substr(previous, comment - previous))
                     : std::string(indent_before(text, array.close).value_or("")) + "    ";
    return splice(text, line_end(text, previous), lines_of(items, indent, newline_of(text), true));
}

std::string insert_after_last(std::string_view text, const Brackets& array,
                              const std::vector<std::string>& items) {
    const Span last = array.items.back();
    const auto indent = indent_before(text, last.begin);
    const bool trailing = array.trailing_comma.has_value();
    const std::size_t after = trailing ? *array.trailing_comma + 1 : last.end;
    if (one_line(text, array) || !indent)
        return splice(text, after, trailing ? " " + joined(items) + "," : ", " + joined(items));
    const std::string lines = lines_of(items, *indent, newline_of(text), trailing);
    // With the bracket on the last item's line the new lines go between them.
    const std::size_t end = line_end(text, after);
    const std::size_t at = array.close < end ? after : end;
    std::string out = splice(text, at, lines);
    return trailing ? out : splice(out, after, ",");
}

}  // namespace

std::string insert_into_array(std::string_view text, const Brackets& array,
                              const std::vector<std::string>& items) {
    return array.items.empty() ? insert_into_empty(text, array, items)
                               : insert_after_last(text, array, items);
}

std::string insert_into_inline_table(std::string_view text, const Brackets& table,
                                     const std::string& assignment) {
    if (table.items.empty()) {
        std::string out(text.substr(0, table.open + 1));
        return out.append(" " + assignment + " ").append(text.substr(table.close));
    }
    return splice(text, table.items.back().end, ", " + assignment);
}

std::string insert_line(std::string_view text, std::size_t at, const std::string& line) {
    const std::string newline(newline_of(text));
    // A last line without its newline gets one.
    const bool open_end = at == text.size() && at > 0 && text.back() != '\n';
    return splice(text, at, (open_end ? newline : "") + line + newline);
}

}  // namespace sluice::workspace
