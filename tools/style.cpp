#include "style.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace sluice::cli {

namespace {

// Code points: good enough for names and addresses.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

}  // namespace

Style Style::of_stdout() {
    const char* no_color = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    const bool wanted = no_color == nullptr || *no_color == '\0';
    const bool able = term != nullptr && std::string_view(term) != "dumb";
    return {wanted && able && isatty(STDOUT_FILENO) == 1};
}

std::string Style::in(std::string_view code, std::string_view text) const {
    if (!colour || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Table::render() const {
    std::vector<std::size_t> widths;
    for (const auto& cells : rows_) {
        widths.resize(std::max(widths.size(), cells.size()));
        for (std::size_t i = 0; i < cells.size(); ++i) {
            widths[i] = std::max(widths[i], width(cells[i]));
        }
    }
    std::string out;
    for (const auto& cells : rows_) {
        std::string line(indent_, ' ');
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string pad(widths[i] - width(cells[i]), ' ');
            const bool right = i < right_.size() && right_[i];
            line += (i == 0 ? "" : "  ") + (right ? pad + cells[i] : cells[i] + pad);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace sluice::cli
