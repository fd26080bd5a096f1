// /proc/PID/mountinfo, parsed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice::os {

struct Mount {
    std::string device;  // "MAJOR:MINOR" of the superblock
    std::string root;    // what of the file system is mounted; "/" for all of it
    std::string target;  // unescaped
    std::string type;
};

// Lines that don't parse are left out: a new kernel may add fields, never take these away.
std::vector<Mount> parse_mountinfo(std::string_view text);
Result<std::vector<Mount>> mounts_of(std::string_view process);  // "self", "1", ...

// The last whole mount (root "/") of this type in table order, which is the one on top.
const Mount* find_mount(const std::vector<Mount>& mounts, std::string_view type);

}  // namespace sluice::os
