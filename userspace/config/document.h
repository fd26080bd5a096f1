// A TOML document as plain data with line numbers. document.cpp is the only user of toml++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "policy/rule.h"

namespace sluice::config {

struct Member;
struct Value;

struct Table {
    std::vector<Member> members;  // in the file's order
    [[nodiscard]] const Member* find(std::string_view key) const;
};

struct DateTime {
    Time time{};
    bool has_offset = false;  // without one it is a different moment on every host
};

struct Value {
    std::uint32_t line = 0;  // 1-based
    std::variant<std::string, std::int64_t, double, bool, DateTime, std::vector<Value>, Table> data;

    template <class T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&data);
    }
    [[nodiscard]] std::string_view kind() const;  // "a string", "an integer", ...
};

struct Member {
    std::string key;
    std::uint32_t line = 0;
    Value value;
};

struct SyntaxError {
    std::uint32_t line = 0;
    std::uint32_t column = 0;  // 0: none
    std::string text;          // printable
};

// Any bytes may come in: too large, too deep and bad UTF-8 are syntax errors too.
std::variant<Table, SyntaxError> parse_document(std::string_view text);

}  // namespace sluice::config
