#include "get.h"
#include "render.h"

namespace sluice::cli {

using nlohmann::json;

namespace {

std::string sandbox_line(const json& one, const Style& style) {
    std::string out = "  " + style.bold(text(one, "name")) + ": " +
                      (flag(one, "active") ? style.good("enforced by the kernel")
                                           : style.bad("NOT ENFORCED as installed")) +
                      ", generation " + std::to_string(number(one, "generation")) + ", uid " +
                      std::to_string(number(one, "owner")) + ", " +
                      counted(number(one, "processes"), "process", "processes");
    if (text(one, "mode") == "open") out += ", " + style.warn("OPEN mode");
    if (!flag(one, "enabled")) out += ", " + style.warn("egress switched off");
    return out + "\n";
}

std::string agent_text(const json& entry, const Style& style) {
    const std::string name = text(entry, "name");
    const std::string who = name.empty() ? "system agent" : "agent of run '" + name + "'";
    if (const auto error = text(entry, "error"); !error.empty()) {
        return who + ": " + style.bad(error) + "\n";
    }
    const json& status = at(entry, "status");
    const json& agent = at(status, "agent");
    std::string out = who + ": version " + text(agent, "version") + ", pid " +
                      std::to_string(number(agent, "pid")) + ", up " +
                      std::to_string(number(agent, "uptime_s")) + " s, kernel " +
                      text(at(status, "kernel"), "release") + "\n";
    for (const json& one : list(status, "sandboxes")) out += sandbox_line(one, style);
    for (const json& missing : list(status, "degraded")) {
        out += "  " + style.warn("degraded") + " " + text(missing, "code") + ": " +
               text(missing, "text") + "\n";
    }
    return out;
}

}  // namespace

std::string render_status(const json& agents, const json& orphans, const Style& style) {
    std::string out;
    for (const json& entry : agents) out += agent_text(entry, style);
    out += render_orphans(orphans, style);
    return out.empty() ? "no agent is running, nothing is confined\n" : out;
}

}  // namespace sluice::cli
