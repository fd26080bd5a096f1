// Names of sandboxes: [a-z0-9][a-z0-9._-]{0,62}.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace sluice::run {

bool valid_name(std::string_view name);
// From the command's file name and a pid, e.g. "npm-4711". Always valid.
std::string default_name(std::string_view command, pid_t pid);

}  // namespace sluice::run
