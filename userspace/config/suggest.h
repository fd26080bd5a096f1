// "Did you mean": the nearest of some known words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {

// Empty where none is near enough to be meant.
std::string nearest(std::string_view written, const std::vector<std::string>& known);
std::string list_of(const std::vector<std::string>& words);  // "a, b, c"

}  // namespace sluice::config
