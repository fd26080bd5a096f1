// What was refused while the command ran: for the person, and as JSON.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace sluice::run {

inline constexpr std::size_t kReportLines = 10;

// The denials of an egress.list answer as lines without the "sluice: ": the same destination,
// program and reason together, in the answer's order; at most kReportLines, the last of more being
// "and N more". Escaped.
std::vector<std::string> denial_lines(const nlohmann::json& list);

struct RunRecord {
    std::string sandbox;
    std::vector<std::string> command;
    int exit = 0;  // as a shell shows it: 128 + N for signal N
    std::chrono::milliseconds duration{0};
    std::vector<std::string> warnings;
    nlohmann::json list;  // egress.list's answer; null when there is none
};
// {sandbox, command, exit, duration_s, denials[], counters, warnings[]}
nlohmann::json report_json(const RunRecord& record);
// As text; the command's words may be no UTF-8.
std::string one_line(const nlohmann::json& report);
std::string many_lines(const nlohmann::json& report);

}  // namespace sluice::run
