// Policy files: TOML text to what the rest works with, every problem with its place and remedy.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/tool_config.h"
#include "policy/policy.h"

namespace sluice::config {

inline constexpr std::size_t kMaxPolicyText = std::size_t{64} << 20;  // bytes of a policy file

enum class Severity : std::uint8_t { kNote, kWarning, kError };

// One finding about a file. Errors make the file unusable; the rest is said and goes on.
struct Problem {
    Severity severity = Severity::kError;
    std::string file;
    std::uint32_t line = 0;                       // 1-based; 0: the file as a whole
    std::string key;                              // "egress.static_tcp[1]"; may be empty
    std::string text;                             // what is wrong
    std::string remedy;                           // what to write instead; may be empty
    [[nodiscard]] std::string to_string() const;  // FILE:LINE: error: KEY: TEXT; REMEDY
};
bool has_errors(const std::vector<Problem>& problems);

// A project file (.sluice.toml), parsed. Keys of later versions' features parse and validate, and
// are mentioned as notes.
struct ProjectFile {
    bool enabled = true;
    LayerRules layer;  // Layer::kProject, presets expanded
    std::vector<DnsName> allow_private;
    std::chrono::seconds retain{24 * 3600};
    std::uint32_t learned_addresses = 64;
    std::vector<std::string>
        required;                   // "lsm", ...: create refuses where one is missing or unknown
    std::vector<Problem> problems;  // sorted by line
    [[nodiscard]] bool usable() const { return !has_errors(problems); }
};

// Never fails as a call: everything wrong is in `problems`. `file` is only used in texts. `tools`
// is what presets with `from` take their hosts from; whoever may read those files passes their
// text.
ProjectFile parse_project(std::string_view text, std::string_view file,
                          const std::filesystem::path& preset_dir, const ToolConfig& tools = {});

// The host's layer: every *.toml of `dir` (/etc/sluice/policy.d) in name order. A missing directory
// is an empty, managed baseline. A file with errors contributes nothing but its problems; since its
// denies would be missing, create refuses while there is one. Files that disagree about the mode
// leave it managed.
struct Baseline {
    Mode mode = Mode::kManaged;
    std::optional<Mode> stated;  // what the files say; empty: nothing, and so managed
    LayerRules baseline;         // Layer::kBaseline, with denies
    LayerRules grants;           // Layer::kGrant: grants that name this principal
    std::vector<Problem> problems;
};
// `principals` are the names grants are matched against, e.g. {"user:alice", "sandbox:web-1"}. A
// file that is not `owner`'s or root's, or that others can write to, is an error and adds nothing;
// where that is so of the directory, all of its files are.
Baseline load_baseline(const std::filesystem::path& dir, const std::vector<std::string>& principals,
                       uid_t owner = 0);
// The text of one of its files.
Baseline parse_host_file(std::string_view text, std::string_view file,
                         const std::vector<std::string>& principals);

// `--allow HOST:PORT` options as the command layer. Errors name the option's value and the remedy.
Result<LayerRules> command_layer(const std::vector<std::string>& endpoints);

// All of it together, as create and `check` both do it. No project, or one with errors, adds no
// rule. The problems of all inputs, and those that only show here, come along.
struct Effective {
    Policy policy;
    std::vector<Problem> problems;
    [[nodiscard]] bool usable() const { return !has_errors(problems); }
};
Effective effective(const Baseline& baseline, const ProjectFile* project, const LayerRules& command,
                    Time now);

// What `sluice check` says: create's own path without its DNS look-ups.
struct CheckReport {
    Policy policy;
    std::vector<Problem> problems;   // of file, baseline and plan
    std::vector<std::string> names;  // would be resolved at create
    std::uint32_t entries = 0;       // exact entries and networks of the literals
    [[nodiscard]] bool ok() const { return !has_errors(problems); }
};
CheckReport check(std::string_view text, std::string_view file, const Baseline& baseline,
                  const std::filesystem::path& preset_dir, const ToolConfig& tools, Time now);

}  // namespace sluice::config
