#include "config/document.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <chrono>

#include "base/escape.h"
#include "config/config.h"
#include "config/preflight.h"

namespace sluice::config {
namespace {

Value convert(const toml::node& node);

DateTime convert(const toml::date_time& written) {
    using namespace std::chrono;
    const year_month_day day{year{written.date.year}, month{written.date.month},
                             std::chrono::day{written.date.day}};
    // system_clock counts nanoseconds in 64 bits: years beyond these do not fit.
    const auto clamped = std::clamp(static_cast<int>(day.year()), 1680, 2260);
    const sys_days days = year_month_day{year{clamped}, day.month(), day.day()};
    auto time = Time(days) + hours(written.time.hour) + minutes(written.time.minute) +
                seconds(written.time.second);
    if (written.offset) time -= minutes(written.offset->minutes);
    return {time, written.offset.has_value()};
}

Table convert(const toml::table& table) {
    Table out;
    for (auto&& [key, node] : table)
        out.members.push_back({std::string(key.str()), key.source().begin.line, convert(node)});
    std::ranges::stable_sort(out.members, {}, &Member::line);
    return out;
}

std::vector<Value> convert(const toml::array& array) {
    std::vector<Value> out;
    out.reserve(array.size());
    for (const auto& node : array) out.push_back(convert(node));
    return out;
}

Value convert(const toml::node& node) {
    Value out{.line = node.source().begin.line, .data = {}};
    node.visit([&out](const auto& n) {
        using Node = std::remove_cvref_t<decltype(n)>;
        if constexpr (toml::is_table<Node> || toml::is_array<Node>)
            out.data = convert(n);
        else if constexpr (toml::is_date_time<Node>)
            out.data = convert(n.get());
        else if constexpr (toml::is_date<Node>)
            out.data = convert(toml::date_time{n.get(), toml::time{}});
        else if constexpr (toml::is_time<Node>)
            out.data = DateTime{};
        else
            out.data = n.get();
    });
    return out;
}

}  // namespace

const Member* Table::find(std::string_view key) const {
    const auto found = std::ranges::find(members, key, &Member::key);
    return found == members.end() ? nullptr : &*found;
}

std::string_view Value::kind() const {
    static constexpr std::string_view kKinds[] = {"a string", "an integer", "a float", "a boolean",
                                                  "a date",   "a list",     "a table"};
    return kKinds[data.index()];
}

std::variant<Table, SyntaxError> parse_document(std::string_view text) {
    if (text.size() > kMaxPolicyText)
        return SyntaxError{0, 0,
                           "the file has " + std::to_string(text.size()) + " bytes, at most " +
                               std::to_string(kMaxPolicyText) + " are read"};
    if (const auto refusal = preflight(text))
        return SyntaxError{refusal->line, 0, std::string(refusal->why)};
    const toml::parse_result parsed = toml::parse(text);
    if (parsed) return convert(parsed.table());
    const auto& error = parsed.error();
    return SyntaxError{error.source().begin.line, error.source().begin.column,
                       printable(error.description())};
}

}  // namespace sluice::config
