// Typed access to a document that collects problems instead of stopping at the first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/document.h"

namespace sluice::config {

// Where the problems of one file go.
class Findings {
  public:
    explicit Findings(std::string_view file) : file_(file) {}

    void add(Severity severity, std::uint32_t line, std::string key, std::string text,
             std::string remedy = {});
    // An Error of the rule grammar: its "...: write X" ends up as the remedy.
    void add(std::uint32_t line, std::string key, const Error& error);
    void add_syntax(const SyntaxError& error);
    [[nodiscard]] bool has_errors() const { return config::has_errors(problems_); }
    [[nodiscard]] const std::string& file() const { return file_; }
    std::vector<Problem> take();  // sorted by line

  private:
    std::string file_;
    std::vector<Problem> problems_;
};

// One string of a list or one value, with its place.
struct Text {
    std::string value;
    std::uint32_t line = 0;
    std::string key;  // "egress.static_tcp[1]"
};

// Reads one table. Every getter marks its key as known; finish() reports the keys nobody asked for.
class TableReader {
  public:
    TableReader(Findings& findings, const Table& table, std::uint32_t line, std::string path)
        : findings_(findings), table_(table), line_(line), path_(std::move(path)) {}

    // Absent is nullopt or empty; a wrong type too, and is reported.
    std::optional<bool> boolean(std::string_view key);
    std::optional<Text> string(std::string_view key, std::string_view example);
    std::optional<std::int64_t> integer(std::string_view key, std::int64_t least,
                                        std::int64_t most);
    std::vector<Text> strings(std::string_view key, std::string_view example);
    std::optional<TableReader> table(std::string_view key);
    std::vector<TableReader> tables(std::string_view key);  // [[key]]
    const Value* any(std::string_view key);
    // One of a few words; anything else is reported with the words.
    std::optional<Text> word(std::string_view key, const std::vector<std::string>& words);
    // As string(), and reported where it is missing.
    std::optional<Text> required_string(std::string_view key, std::string_view example);

    // `hint` may give a better remedy for an unknown key; empty where it has none.
    void finish(std::string_view (*hint)(std::string_view key) = nullptr);

    [[nodiscard]] std::string path_of(std::string_view key) const;
    [[nodiscard]] std::uint32_t line() const { return line_; }
    [[nodiscard]] Findings& findings() const { return findings_; }
    void wrong(const Value& value, std::string key, std::string_view expected,
               std::string_view example) const;

  private:
    Findings& findings_;
    const Table& table_;
    std::uint32_t line_;
    std::string path_;
    std::vector<std::string> known_;
};

}  // namespace sluice::config
