// `sluice run`: a command in a sandbox of its own, from create to exit report.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice::run {

struct RunOptions {
    std::optional<std::string> policy;  // --policy FILE: trusted by being named
    std::vector<std::string> allow;     // --allow HOST:PORT, repeatable
    std::optional<std::string> name;    // --name NAME; absent: made from the command and our pid
    bool detach = false;                // --detach: what the command left running stays confined
    bool quiet = false;                 // --quiet: no notes, warnings or exit report; errors stay
    bool json = false;                  // --json: the exit report as one line of JSON
    std::optional<std::string> report;  // --report FILE: the same into a file
    std::vector<std::string> command;   // after `--`; at least one word
    std::vector<std::string> argv;  // the whole command line, for the line that says how to rerun
};

// Returns the exit code of the process: the command's own, 126 or 127 when it can't be executed,
// else Sluice's (see docs/operations.md). When a signal killed the command it does not return, but
// ends this process by the same signal. Everything for people goes to stderr.
int run_command(const RunOptions& options);

}  // namespace sluice::run
