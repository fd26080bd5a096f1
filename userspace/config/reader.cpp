#include "config/reader.h"

#include <algorithm>

#include "config/suggest.h"
#include "policy/text.h"

namespace sluice::config {

void Findings::add(Severity severity, std::uint32_t line, std::string key, std::string text,
                   std::string remedy) {
    problems_.push_back(
        {severity, file_, line, std::move(key), std::move(text), std::move(remedy)});
}

void Findings::add(std::uint32_t line, std::string key, const Error& error) {
    constexpr std::string_view kWrite = ": write ";
    const auto at = error.message.rfind(kWrite);
    if (at == std::string::npos) return add(Severity::kError, line, std::move(key), error.message);
    add(Severity::kError, line, std::move(key), error.message.substr(0, at),
        error.message.substr(at + 2));
}

void Findings::add_syntax(const SyntaxError& error) {
    std::string place = error.column == 0 ? "" : "column " + std::to_string(error.column) + ": ";
    add(Severity::kError, error.line, "", "not TOML: " + place + error.text);
}

std::vector<Problem> Findings::take() {
    std::ranges::stable_sort(problems_, {}, &Problem::line);
    return std::move(problems_);
}

std::string TableReader::path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

const Value* TableReader::any(std::string_view key) {
    known_.emplace_back(key);
    const Member* member = table_.find(key);
    return member ? &member->value : nullptr;
}

void TableReader::wrong(const Value& value, std::string key, std::string_view expected,
                        std::string_view example) const {
    findings_.add(Severity::kError, value.line, std::move(key),
                  "is " + std::string(value.kind()) + ", but takes " + std::string(expected),
                  example.empty() ? std::string{} : "write " + std::string(example));
}

std::optional<bool> TableReader::boolean(std::string_view key) {
    const Value* value = any(key);
    if (!value) return std::nullopt;
    if (const auto* found = value->as<bool>()) return *found;
    wrong(*value, path_of(key), "a boolean", std::string(key) + " = true or false");
    return std::nullopt;
}

std::optional<Text> TableReader::string(std::string_view key, std::string_view example) {
    const Value* value = any(key);
    if (!value) return std::nullopt;
    if (const auto* found = value->as<std::string>())
        return Text{*found, value->line, path_of(key)};
    wrong(*value, path_of(key), "a string",
          std::string(key) + " = \"" + std::string(example) + "\"");
    return std::nullopt;
}

std::optional<Text> TableReader::required_string(std::string_view key, std::string_view example) {
    if (!table_.find(key)) {
        known_.emplace_back(key);
        findings_.add(Severity::kError, line_, path_of(key), "is missing",
                      "write " + std::string(key) + " = \"" + std::string(example) + "\"");
        return std::nullopt;
    }
    return string(key, example);
}

std::optional<std::int64_t> TableReader::integer(std::string_view key, std::int64_t least,
                                                 std::int64_t most) {
    const Value* value = any(key);
    if (!value) return std::nullopt;
    const auto* found = value->as<std::int64_t>();
    if (!found) {
        wrong(*value, path_of(key), "an integer",
              std::string(key) + " = " + std::to_string(least) + ", or another number");
        return std::nullopt;
    }
    if (*found >= least && *found <= most) return *found;
    findings_.add(Severity::kError, value->line, path_of(key),
                  std::to_string(*found) + " is out of range",
                  "write a number from " + std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
}

std::vector<Text> TableReader::strings(std::string_view key, std::string_view example) {
    const Value* value = any(key);
    if (!value) return {};
    const std::string shown = std::string(key) + " = [\"" + std::string(example) + "\"]";
    const auto* list = value->as<std::vector<Value>>();
    if (!list) {
        wrong(*value, path_of(key), "a list of strings", shown);
        return {};
    }
    std::vector<Text> out;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Value& item = (*list)[i];
        std::string path = path_of(key) + "[" + std::to_string(i) + "]";
        if (const auto* found = item.as<std::string>())
            out.push_back({*found, item.line, std::move(path)});
        else
            wrong(item, std::move(path), "a string", shown);
    }
    return out;
}

std::optional<TableReader> TableReader::table(std::string_view key) {
    const Value* value = any(key);
    if (!value) return std::nullopt;
    if (const auto* found = value->as<Table>())
        return TableReader(findings_, *found, value->line, path_of(key));
    wrong(*value, path_of(key), "a table", "[" + path_of(key) + "] and its keys below");
    return std::nullopt;
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
    const Value* value = any(key);
    if (!value) return {};
    const std::string shown = "[[" + path_of(key) + "]] and its keys below";
    const auto* list = value->as<std::vector<Value>>();
    if (!list) {
        wrong(*value, path_of(key), "a list of tables", shown);
        return {};
    }
    std::vector<TableReader> out;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Value& item = (*list)[i];
        std::string path = path_of(key) + "[" + std::to_string(i) + "]";
        if (const auto* found = item.as<Table>())
            out.emplace_back(findings_, *found, item.line, std::move(path));
        else
            wrong(item, std::move(path), "a table", shown);
    }
    return out;
}

std::optional<Text> TableReader::word(std::string_view key, const std::vector<std::string>& words) {
    auto found = string(key, words.front());
    if (!found || std::ranges::find(words, found->value) != words.end()) return found;
    const std::string meant = nearest(found->value, words);
    findings_.add(Severity::kError, found->line, found->key,
                  in_quotes(found->value) + " is none of " + list_of(words),
                  meant.empty() ? "write one of them" : "did you mean \"" + meant + "\"?");
    return std::nullopt;
}

void TableReader::finish(std::string_view (*hint)(std::string_view)) {
    for (const auto& member : table_.members) {
        if (std::ranges::find(known_, member.key) != known_.end()) continue;
        const std::string meant = nearest(member.key, known_);
        std::string remedy = meant.empty() ? "the keys here are " + list_of(known_)
                                           : "did you mean \"" + meant + "\"?";
        if (const auto better = hint ? hint(member.key) : ""; !better.empty()) remedy = better;
        findings_.add(Severity::kError, member.line, path_of(printable(member.key)),
                      "is not a key that Sluice knows", std::move(remedy));
    }
}

}  // namespace sluice::config
