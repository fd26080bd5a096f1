// Lists of HOST:PORTS strings to rules and deny entries.
#pragma once

#include <optional>
#include <vector>

#include "config/reader.h"

namespace sluice::config {

// A rule and what is worth saying about it. Wildcards on the kernel's path are errors.
std::optional<Rule> read_rule(Findings& findings, const Text& written, Via via, Source source);

void read_rules(Findings& findings, const std::vector<Text>& written, Via via, Layer layer,
                std::string_view detail, std::vector<Rule>& out);

// Literals only; the port may be left out and means all of them.
void read_denies(Findings& findings, const std::vector<Text>& written, Layer layer,
                 std::vector<DenyEntry>& out);

// Once for a list: what the gateway will serve in a later version is refused in this one.
void note_relayed(Findings& findings, std::uint32_t line, std::string key);

}  // namespace sluice::config
