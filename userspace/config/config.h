// Policy files: TOML text to what the rest works with, every problem with its place and remedy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace sluice::config {

enum class Severity : std::uint8_t { kNote, kWarning, kError };

// One finding about a file. Errors make the file unusable; the rest is said and goes on.
struct Problem {
    Severity severity = Severity::kError;
    std::string file;
    std::uint32_t line = 0;  // 1-based; 0: the file as a whole
    std::string key;         // "egress.static_tcp[1]"; may be empty
    std::string text;        // what is wrong
    std::string remedy;      // what to write instead; may be empty
    [[nodiscard]] std::string to_string() const;  // FILE:LINE: error: KEY: TEXT; REMEDY
};

// A project file (.sluice.toml), parsed. Keys of later versions' features parse and validate, and
// are mentioned as notes.
struct ProjectFile {
    bool enabled = true;
    LayerRules layer;                 // Layer::kProject, presets expanded
    std::vector<DnsName> allow_private;
    std::chrono::seconds retain{24 * 3600};
    std::uint32_t learned_addresses = 64;
    std::vector<Problem> problems;    // sorted by line
    [[nodiscard]] bool usable() const;  // no error among them
};

// Never fails as a call: everything wrong is in `problems`. `file` is only used in texts.
ProjectFile parse_project(std::string_view text, std::string_view file,
                          const std::filesystem::path& preset_dir);

// The host's layer: every *.toml of `dir` (/etc/sluice/policy.d) in name order. A missing directory
// is an empty, managed baseline. A file with errors contributes nothing but its problems.
struct Baseline {
    Mode mode = Mode::kManaged;
    LayerRules baseline;              // Layer::kBaseline, with denies
    LayerRules grants;                // Layer::kGrant: grants that name this principal
    std::vector<Problem> problems;
};
// `principals` are the names grants are matched against, e.g. {"user:alice", "sandbox:web-1"}.
Baseline load_baseline(const std::filesystem::path& dir, const std::vector<std::string>& principals);

// `--allow HOST:PORT` options as the command layer. Errors name the option's value and the remedy.
Result<LayerRules> command_layer(const std::vector<std::string>& endpoints);

// All of it together, as create and `check` both do it.
struct Effective {
    Policy policy;
    std::vector<Problem> problems;
};
Effective effective(const Baseline& baseline, const ProjectFile* project, const LayerRules& command,
                    Time now);

}  // namespace sluice::config
