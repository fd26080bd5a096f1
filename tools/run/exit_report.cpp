#include "run/exit_report.h"

#include <cstdint>

#include "base/escape.h"

namespace sluice::run {
namespace {

using nlohmann::json;

// Missing or of another type: empty, never an exception.
std::string text_of(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return "";
    return found->get<std::string>();
}

std::uint64_t number_of(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) return 0;
    return found->get<std::uint64_t>();
}

bool is_dns(const json& denial) {
    return text_of(denial, "reason").starts_with("dns");
}

std::string target_of(const json& denial) {
    const std::string host = text_of(denial, "host");
    if (is_dns(denial)) return "DNS look-up" + (host.empty() ? "" : " of " + printable(host));
    const std::string dst = text_of(denial, "dst");
    std::string target = printable(host.empty() ? dst : host);
    if (target.empty()) return "an attempt without an address";
    const std::uint64_t port = number_of(denial, "port");
    if (port == 0) return target;
    if (target.find(':') != std::string::npos) target = "[" + target + "]";
    return target + ":" + std::to_string(port);
}

std::string program_of(const json& denial) {
    const std::string comm = printable(text_of(denial, "comm"));
    const std::uint64_t pid = number_of(denial, "pid");
    // The kernel on a socket's behalf, after the process is gone.
    if (pid == 0) return comm.empty() ? "the kernel" : comm;
    return comm + "[" + std::to_string(pid) + "]";
}

struct Line {
    std::string key;
    std::uint64_t count = 0;
    std::string target, program, rest;
};

Line line_of(const json& denial) {
    Line line{.key = {},
              .count = number_of(denial, "count"),
              .target = target_of(denial),
              .program = program_of(denial),
              .rest = printable(text_of(denial, "text"))};
    const std::string remedy = printable(text_of(denial, "remedy"));
    const bool command = remedy.starts_with("sluice ");
    if (!remedy.empty()) line.rest += (command ? "; allow it: " : "; ") + remedy;
    // The pid is left out: a tool that retries in new processes is one line.
    const char separator = '\0';
    line.key = line.target + separator + text_of(denial, "comm") + separator +
               text_of(denial, "reason") + separator + line.rest;
    return line;
}

std::vector<Line> joined(const json& denials) {
    std::vector<Line> lines;
    for (const auto& denial : denials) {
        // Nobody listening is no verdict of the policy's; the JSON report has it.
        if (!denial.is_object() || text_of(denial, "reason") == "no_listener") continue;
        Line line = line_of(denial);
        bool known = false;
        for (auto& other : lines) {
            if (other.key != line.key) continue;
            other.count += line.count;
            known = true;
        }
        if (!known) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace

std::vector<std::string> denial_lines(const json& list) {
    std::vector<std::string> out;
    if (!list.is_object() || !list.contains("denials") || !list["denials"].is_array()) return out;
    const auto lines = joined(list["denials"]);
    const std::size_t shown = lines.size() > kReportLines ? kReportLines - 1 : lines.size();
    for (const auto& line : lines) {
        if (out.size() == shown) {
            out.push_back("and " + std::to_string(lines.size() - shown) + " more");
            break;
        }
        std::string text =
            "refused " + std::to_string(line.count) + "x " + line.target + " by " + line.program;
        if (!line.rest.empty()) text += ": " + line.rest;
        out.push_back(std::move(text));
    }
    return out;
}

json report_json(const RunRecord& record) {
    const bool have = record.list.is_object();
    json report;
    report["sandbox"] = record.sandbox;
    report["command"] = record.command;
    report["exit"] = record.exit;
    report["duration_s"] = static_cast<double>(record.duration.count()) / 1000.0;
    report["denials"] = have ? record.list.value("denials", json::array()) : json::array();
    report["counters"] = have ? record.list.value("counters", json::object()) : json::object();
    report["warnings"] = record.warnings;
    return report;
}

std::string one_line(const json& report) {
    return report.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string many_lines(const json& report) {
    return report.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace sluice::run
