// Which policy a run has.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/identity.h"

namespace sluice::run {

struct PolicyText {
    std::string path;  // as the user named it
    std::string text;
};

struct PolicyChoice {
    std::optional<PolicyText> policy;
    std::vector<std::string> notes;  // what was not used, and what that means
};

// `--policy F` is read, as `reader` (the user behind sudo: root's rights would let them read what
// they may not). A found file is not in force before somebody trusted it, and could only narrow
// what is already closed: it is named in a note. `have_allow`: there are --allow options.
Result<PolicyChoice> choose_policy(const std::optional<std::string>& policy, bool have_allow,
                                   const std::filesystem::path& working_dir,
                                   const std::optional<os::Identity>& reader);

}  // namespace sluice::run
