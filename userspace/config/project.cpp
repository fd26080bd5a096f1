#include <algorithm>

#include "config/project_parts.h"

namespace sluice::config {
namespace {

// What people write one level too high, and what belongs into another file.
std::string_view hint_for(std::string_view unknown) {
    for (const std::string_view host : {"baseline", "mode", "grant"})
        if (unknown == host)
            return "tables of the host's policy go into /etc/sluice/policy.d; a project file has "
                   "egress, resources, mounts, remote";
    for (const std::string_view key : {"static_tcp", "relayed", "presets", "enabled", "listen",
                                       "unix", "required", "allow", "proxy_env", "rule"})
        if (unknown == key) return "write it below the line [egress]";
    return {};
}

void read_root(Findings& findings, const Table& root, const std::filesystem::path& preset_dir,
               const ToolConfig& tools, ProjectFile& out) {
    TableReader reader(findings, root, 1, "");
    if (auto egress = reader.table("egress")) read_egress(*egress, preset_dir, tools, out);
    if (auto resources = reader.table("resources")) read_resources(*resources);
    read_mounts(reader);
    read_remotes(reader);
    reader.finish(hint_for);
}

}  // namespace

ProjectFile parse_project(std::string_view text, std::string_view file,
                          const std::filesystem::path& preset_dir, const ToolConfig& tools) {
    ProjectFile out;
    Findings findings(file);
    const auto document = parse_document(text);
    if (const auto* error = std::get_if<SyntaxError>(&document))
        findings.add_syntax(*error);
    else
        read_root(findings, std::get<Table>(document), preset_dir, tools, out);
    out.problems = findings.take();
    return out;
}

}  // namespace sluice::config
