// A package manager's configuration reduced to the hosts that it names. What leaves this process is
// scheme, host and port: no token, no user, no path.
#pragma once

#include <string>
#include <string_view>

#include "config/registries.h"

namespace sluice::workspace {

// `file` in the tool's own format, but of its registries only. What can't be used is its `problem`.
config::ConfigText only_registries(std::string_view tool, config::ConfigText file);

// A variable's value: its URLs, separated by blanks; "unusable" for each that is none.
std::string only_urls(const config::Registries& found);

}  // namespace sluice::workspace
