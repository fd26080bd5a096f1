// Asks every running agent.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/client.h"

namespace sluice::cli {

// egress.list of every sandbox the caller may see, or of the one named (kNotFound when nobody has
// it).
Result<nlohmann::json> collect_listings(const std::optional<std::string>& name);
// [{name, path, status}] or {.., error} for an agent that does not answer.
nlohmann::json collect_status();
// `sandbox` may be absent where there is exactly one.
Result<nlohmann::json> ask_explain(const std::optional<std::string>& sandbox,
                                   const std::string& target);

}  // namespace sluice::cli
