// `sluice check FILE`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "style.h"

namespace sluice::cli {

Result<config::CheckReport> check_file(const std::string& file);

nlohmann::json to_json(const config::CheckReport& report);
std::string render_check(const config::CheckReport& report, const std::string& file,
                         const Style& style);

}  // namespace sluice::cli
