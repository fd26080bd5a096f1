// Policy files: whatever the bytes, problems that print and a plan without a crash; the same text
// as the host's own file too.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "config/config.h"
#include "policy/plan.h"
#include "require.h"

using namespace sluice;

namespace {

bool prints(const config::Problem& problem) {
    const std::string line = problem.to_string();
    return std::ranges::none_of(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const config::Baseline host =
        config::parse_host_file(text, "host.toml", {"user:alice", "sandbox:web-1"});
    const config::CheckReport report =
        config::check(text, "f.toml", host, "/nonexistent", {}, Time{});
    fuzz::require(std::ranges::all_of(report.problems, prints));
    const bool project_ok = config::parse_project(text, "f.toml", "/nonexistent").usable();
    if (!project_ok) fuzz::require(!report.ok());
    for (const auto& rule : report.policy.rules) {
        fuzz::require(!rule.sources.empty());
        fuzz::require(rule.via == Via::kGateway ||
                      !std::holds_alternative<Wildcard>(rule.endpoint.host));
    }
    return 0;
}
