// What will not work as written, as list and create report it. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config.h"
#include "kernel/enforcer.h"
#include "policy/plan.h"
#include "policy/policy.h"
#include "policy/resolution.h"

namespace sluice::sandbox {

struct Warning {
    std::string code{};                // docs/protocol.md lists them
    std::string severity = "warning";  // or "note"
    std::string text{};
    std::string rule{};    // its text; may be empty
    std::string remedy{};  // may be empty
    friend bool operator==(const Warning&, const Warning&) = default;
};

// "private_address: rest" is the code and the text; a note without such a head has code "note".
Warning from_plan_note(const std::string& note);
// A finding of severity error never gets this far: create refuses it.
Warning from_problem(const config::Problem& problem);
std::vector<Warning> unresolved(const Policy& policy, const Resolution& resolution);
// Said wherever an LSM program is asked for, whatever this kernel could load.
inline constexpr const char* kNoLsm = "BPF LSM programs are not used in this version";
// "code: text". What is so on every host is a note, the rest a warning.
Warning degraded(const std::string& missing);

nlohmann::json to_json(const std::vector<Warning>& warnings);
// [{code, text}] of what the kernel or host lacks.
nlohmann::json degraded_json(const std::vector<std::string>& missing);

}  // namespace sluice::sandbox
