#include "workspace/edit.h"

#include <toml++/toml.h>
#include <algorithm>

#include "base/escape.h"
#include "config/preflight.h"
#include "policy/rule.h"
#include "workspace/insert.h"
#include "workspace/toml_text.h"

namespace sluice::workspace {
namespace {

Result<toml::table> parse(std::string_view text, std::string_view file) {
    if (const auto refusal = config::preflight(text))
        return Error::invalid(printable(file) + ":" + std::to_string(refusal->line) + ": " +
                              std::string(refusal->why) + "; mend it first");
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        return Error::invalid(printable(file) + ":" + std::to_string(error.source().begin.line) +
                              ": " + printable(error.description()) + "; mend it first");
    }
}

Result<std::string> canonical(const std::string& entry) {
    SLUICE_ASSIGN(const Endpoint endpoint, Endpoint::parse(entry));
    if (std::holds_alternative<Wildcard>(endpoint.host))
        return Error::invalid("'" + printable(entry) +
                              "': a wildcard cannot be resolved ahead, so static_tcp takes exact "
                              "names; add the names that are needed");
    return endpoint.to_string();
}

// What the array holds already, canonical where it is valid.
Result<std::vector<std::string>> present(const toml::node* array, std::string_view file) {
    std::vector<std::string> entries;
    if (!array) return entries;
    if (!array->is_array())
        return Error::invalid(
            printable(file) + ":" + std::to_string(array->source().begin.line) +
            ": egress.static_tcp is not a list; write static_tcp = [\"HOST:PORT\"]");
    for (const auto& item : *array->as_array()) {
        const auto text = item.value<std::string>();
        if (!text) continue;
        entries.push_back(canonical(*text).value_or(*text));
    }
    return entries;
}

std::vector<std::string> quoted(const std::vector<std::string>& entries) {
    // Canonical entries have no character that TOML would escape.
    std::vector<std::string> items;
    for (const auto& entry : entries) items.push_back("\"" + entry + "\"");
    return items;
}

std::string assignment(const std::vector<std::string>& entries) {
    std::string list;
    for (const auto& item : quoted(entries)) list += (list.empty() ? "" : ", ") + item;
    return "static_tcp = [" + list + "]";
}

// `[egress]` itself, not `[egress.resolve]` or `[[egress.rule]]`, which also make the table exist.
bool is_own_header(std::string_view line) {
    const auto begin = line.find('[');
    const auto end = line.find(']');
    if (begin == std::string_view::npos || end == std::string_view::npos) return false;
    const std::string_view inside = line.substr(begin + 1, end - begin - 1);
    return inside.find('.') == std::string_view::npos && !inside.starts_with('[');
}

std::string append_table(std::string_view text, const std::vector<std::string>& entries) {
    const std::string newline(newline_of(text));
    const std::string table = "[egress]" + newline + assignment(entries);
    if (text.empty()) return table + newline;
    std::string base(text);
    if (!base.ends_with('\n')) base += newline;
    return insert_line(base, base.size(), newline + table);
}

// The table is there, the array is not.
Result<std::string> add_array(std::string_view text, const toml::table& egress,
                              const std::vector<std::string>& entries) {
    const auto begin = egress.source().begin;
    const std::size_t at = offset_of(text, begin.line, begin.column);
    if (egress.is_inline()) {
        const auto braces = brackets_at(text, at);
        if (!braces) return Error::failed("the inline table 'egress' does not close");
        return insert_into_inline_table(text, *braces, assignment(entries));
    }
    const std::size_t first = line_begin(text, at);
    const std::size_t next = next_line(text, at);
    const std::string_view line = text.substr(first, next - first);
    const auto start = line.find_first_not_of(" \t\xef\xbb\xbf");
    const bool header = start != std::string_view::npos && line[start] == '[';
    if (header && is_own_header(line)) return insert_line(text, next, assignment(entries));
    if (header) return append_table(text, entries);
    return insert_line(text, first, "egress." + assignment(entries));  // dotted keys
}

Result<std::string> insert(std::string_view text, const toml::table& document,
                           const std::vector<std::string>& entries) {
    const toml::node* node = document.get("egress");
    if (!node) return append_table(text, entries);
    const toml::table* egress = node->as_table();
    if (!egress) return Error::invalid("'egress' is not a table; write [egress]");
    const toml::node* array = egress->get("static_tcp");
    if (!array) return add_array(text, *egress, entries);
    const auto begin = array->source().begin;
    const auto brackets = brackets_at(text, offset_of(text, begin.line, begin.column));
    if (!brackets) return Error::failed("the list 'egress.static_tcp' does not close");
    return insert_into_array(text, *brackets, quoted(entries));
}

// What the new text must say: the old document with the entries at the list's end.
toml::table expected(const toml::table& before, const std::vector<std::string>& entries) {
    toml::table wanted = before;
    if (!wanted.contains("egress")) wanted.insert("egress", toml::table());
    toml::table& egress = *wanted["egress"].as_table();
    if (!egress.contains("static_tcp")) egress.insert("static_tcp", toml::array());
    toml::array& list = *egress["static_tcp"].as_array();
    for (const auto& entry : entries) list.push_back(entry);
    return wanted;
}

Status verify(std::string_view text, std::string_view file, const toml::table& before,
              const std::vector<std::string>& entries) {
    const auto after = parse(text, file);
    if (after && *after == expected(before, entries)) return {};
    return Error::failed("cannot add to " + printable(file) +
                         " without changing something else; write it by hand under [egress]: " +
                         assignment(entries));
}

}  // namespace

Result<Edited> add_static_tcp(std::string_view text, std::string_view file,
                              const std::vector<std::string>& entries) {
    SLUICE_ASSIGN(const toml::table document, parse(text, file));
    SLUICE_ASSIGN(const auto have, present(document["egress"]["static_tcp"].node(), file));
    Edited edited;
    for (const auto& entry : entries) {
        SLUICE_ASSIGN(const std::string wanted, canonical(entry));
        const auto in = [&](const auto& list) {
            return std::find(list.begin(), list.end(), wanted) != list.end();
        };
        if (in(have))
            edited.there.push_back(wanted);
        else if (!in(edited.added))
            edited.added.push_back(wanted);
    }
    edited.text = text;
    if (edited.added.empty()) return edited;
    SLUICE_ASSIGN(edited.text, insert(text, document, edited.added));
    SLUICE_TRY(verify(edited.text, file, document, edited.added));
    return edited;
}

}  // namespace sluice::workspace
