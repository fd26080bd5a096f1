// The protocol's answers as text for people. Pure; each ends in a newline.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "agents.h"
#include "style.h"

namespace sluice::cli {

std::string render_listing(const nlohmann::json& egress_list, const Style& style);
// Every sandbox, what is confined without an agent, and the agents that failed; or that there is
// none.
std::string render_listings(const Listings& listings, const Style& style);
std::string render_orphans(const nlohmann::json& orphans, const Style& style);
std::string render_explain(const nlohmann::json& answer, const Style& style);
// See collect_status() and find_orphans().
std::string render_status(const nlohmann::json& agents, const nlohmann::json& orphans,
                          const Style& style);

// "project .sluice.toml:4 (preset npm)" from {layer, source}.
std::string source_text(const nlohmann::json& rule);

}  // namespace sluice::cli
