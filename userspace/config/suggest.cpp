#include "config/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sluice::config {
namespace {

// Levenshtein. Both words are short: longer ones are nobody's typing error.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(std::string_view written, const std::vector<std::string>& known) {
    if (written.empty() || written.size() > 64) return {};
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, written.size() / 3) + 1;
    for (const auto& word : known) {
        const std::size_t d = distance(written, word);
        if (d >= best_distance || d >= word.size()) continue;
        best = word;
        best_distance = d;
    }
    return best;
}

std::string list_of(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
    return out;
}

}  // namespace sluice::config
