// The protocol's answers as text for people. Pure; each ends in a newline.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "style.h"

namespace sluice::cli {

std::string render_listing(const nlohmann::json& egress_list, const Style& style);
std::string render_explain(const nlohmann::json& answer, const Style& style);
// [{name, status}], see collect_status().
std::string render_status(const nlohmann::json& agents, const Style& style);

// "project .sluice.toml:4 (preset npm)" from {layer, source}.
std::string source_text(const nlohmann::json& rule);

}  // namespace sluice::cli
