// The environment of the sandboxed command.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/identity.h"

namespace sluice::run {

using Variables = std::vector<std::string>;  // "NAME=VALUE"

std::optional<std::string> lookup(const Variables& variables, std::string_view name);
void set(Variables& variables, std::string_view name, std::string_view value);

Variables own_environment();

// What the user had when calling sudo, as far as that can be known: our parent is a root-owned
// program named sudo, which still holds it. nullopt otherwise.
std::optional<Variables> environment_before_sudo();

// Without an invoker: `own` as it is. With one, what sudo made root's becomes the invoker's again:
// HOME, USER, LOGNAME, SHELL from passwd; PATH, LANG, LC_* as before sudo where that is known (a
// version manager's `npm` is found by PATH). MAIL and SUDO_* go: programs take SUDO_UID for "I am
// root on behalf of", which is no longer so. SLUICE_SANDBOX is set in either case.
Variables command_environment(Variables own, const std::optional<os::Identity>& invoker,
                              const std::optional<Variables>& before_sudo,
                              std::string_view sandbox);

}  // namespace sluice::run
