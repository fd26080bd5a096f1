// Colour and aligned columns for what people read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

struct Style {
    bool colour = false;
    // A terminal, and no NO_COLOR in the environment.
    static Style of_stdout();

    [[nodiscard]] std::string bold(std::string_view text) const { return in("1", text); }
    [[nodiscard]] std::string dim(std::string_view text) const { return in("2", text); }
    [[nodiscard]] std::string good(std::string_view text) const { return in("32", text); }
    [[nodiscard]] std::string warn(std::string_view text) const { return in("33", text); }
    [[nodiscard]] std::string bad(std::string_view text) const { return in("31", text); }

  private:
    [[nodiscard]] std::string in(std::string_view code, std::string_view text) const;
};

// Columns as wide as their widest cell, two spaces apart, the last one ragged.
class Table {
  public:
    explicit Table(std::size_t indent, std::vector<bool> right = {})
        : indent_(indent), right_(std::move(right)) {}  // right: columns of numbers
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    [[nodiscard]] std::string render() const;

  private:
    std::size_t indent_;
    std::vector<bool> right_;
    std::vector<std::vector<std::string>> rows_;
};

// "1 process", "2 processes".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace sluice::cli
