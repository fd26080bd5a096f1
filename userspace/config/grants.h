// [[grant]] of the host's policy: hosts for the principals it names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"

namespace sluice::config {

// `*` stands for any run of characters, as in "sandbox:web-*".
bool matches_principal(std::string_view pattern, std::string_view principal);

// Validates every grant; the rules of those that name one of `principals` are added.
void read_grants(TableReader& root, const std::vector<std::string>& principals,
                 std::vector<Rule>& out);

}  // namespace sluice::config
