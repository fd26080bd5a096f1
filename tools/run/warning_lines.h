// The warnings of sandbox.create's answer, for the person who starts a run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sluice::run {

// A line each, escaped. Notes are left out, `sluice list` has them, but those that say which hosts
// a preset took from the user's own configuration.
std::vector<std::string> warning_lines(const nlohmann::json& warnings);

}  // namespace sluice::run
