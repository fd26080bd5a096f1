// Mounts that only the sandboxed command sees.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sluice::run {

struct Bind {
    std::string source;
    std::string target;  // followed when a symlink; must exist
};

// Puts the calling process into a mount namespace of its own, where later mounts of the host still
// arrive but ours never get out, and binds each pair read-only.
Status enter_private_mounts(const std::vector<Bind>& binds);

}  // namespace sluice::run
