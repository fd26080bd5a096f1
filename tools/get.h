// Reads an agent's answer without trusting its shape: what is missing or of another type is empty.
// Text comes back escaped for a terminal.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace sluice::cli {

std::string text(const nlohmann::json& object, const char* key);
std::uint64_t number(const nlohmann::json& object, const char* key);
bool flag(const nlohmann::json& object, const char* key);
const nlohmann::json& at(const nlohmann::json& object, const char* key);    // null when missing
const nlohmann::json& list(const nlohmann::json& object, const char* key);  // [] when missing

}  // namespace sluice::cli
