#include <algorithm>

#include "config/preset.h"
#include "config/project_parts.h"
#include "config/rules.h"
#include "config/units.h"
#include "policy/text.h"

namespace sluice::config {
namespace {

constexpr std::chrono::seconds kMaxRetain = std::chrono::days(365);

std::optional<Time> read_expiry(TableReader& rule) {
    const Value* value = rule.any("expires");
    if (!value) return std::nullopt;
    const auto* date = value->as<DateTime>();
    if (date && date->has_offset) return date->time;
    if (date)
        rule.findings().add(Severity::kError, value->line, rule.path_of("expires"),
                            "has no time zone", "write it in UTC, as in 2027-01-31T00:00:00Z");
    else
        rule.wrong(*value, rule.path_of("expires"), "a date and time",
                   "expires = 2027-01-31T00:00:00Z, without quotes");
    return std::nullopt;
}

// The short form's text, so that both forms go through one parser.
std::string as_endpoint(const std::string& host, const std::string& ports) {
    const bool bare_v6 = host.find(':') != std::string::npos && !host.starts_with('[');
    return (bare_v6 ? "[" + host + "]" : host) + ":" + ports;
}

void read_long_rule(TableReader& rule, ProjectFile& out) {
    const auto host = rule.required_string("host", "git.example.org");
    const auto ports = rule.required_string("ports", "443");
    const auto via = rule.word("via", {"kernel", "gateway"});
    const auto note = rule.string("note", "what it is for");
    const auto expires = read_expiry(rule);
    rule.finish();
    if (!host || !ports) return;
    const Text written{as_endpoint(host->value, ports->value), host->line, host->key};
    const Via path = via && via->value == "gateway" ? Via::kGateway : Via::kKernel;
    auto made = read_rule(rule.findings(), written, path,
                          {Layer::kProject, rule.findings().file(), rule.line(), ""});
    if (!made) return;
    if (path == Via::kGateway) note_relayed(rule.findings(), via->line, via->key);
    if (note) made->note = note->value;
    made->expires = expires;
    out.layer.rules.push_back(std::move(*made));
}

void read_allow_private(TableReader& resolve, ProjectFile& out) {
    for (const auto& text : resolve.strings("allow_private", "db.example.org")) {
        auto name = DnsName::parse(text.value);
        if (name)
            out.allow_private.push_back(std::move(*name));
        else
            resolve.findings().add(text.line, text.key, name.error());
    }
}

void read_resolve(TableReader& resolve, ProjectFile& out) {
    read_allow_private(resolve, out);
    if (const auto text = resolve.string("retain", "24h")) {
        const auto retain = parse_duration(text->value);
        if (!retain)
            resolve.findings().add(text->line, text->key, retain.error());
        else if (*retain > kMaxRetain)
            resolve.findings().add(Severity::kError, text->line, text->key,
                                   in_quotes(text->value) + " is more than a year",
                                   "write at most 365d");
        else
            out.retain = *retain;
        resolve.findings().add(Severity::kNote, text->line, text->key,
                               "parsed; addresses are not refreshed in this version, those found "
                               "when the sandbox is created stay");
    }
    resolve.finish();
}

void read_required(TableReader& egress, ProjectFile& out) {
    for (const auto& text : egress.strings("required", "lsm")) {
        out.required.push_back(text.value);
        if (text.value == "lsm")
            egress.findings().add(Severity::kNote, text.line, text.key,
                                  "this version uses no BPF LSM program, so create refuses to "
                                  "start");
        else
            egress.findings().add(Severity::kNote, text.line, text.key,
                                  "parsed; this version does not know the protection " +
                                      in_quotes(text.value) + ", so create refuses to start");
    }
}

void read_presets(TableReader& egress, const std::filesystem::path& dir, const ToolConfig& tools,
                  ProjectFile& out) {
    for (const auto& text : egress.strings("presets", "github"))
        expand_preset(egress.findings(), text, dir, tools, Layer::kProject, out.layer.rules);
}

}  // namespace

void read_egress(TableReader& egress, const std::filesystem::path& preset_dir,
                 const ToolConfig& tools, ProjectFile& out) {
    if (const auto enabled = egress.boolean("enabled")) out.enabled = *enabled;
    read_presets(egress, preset_dir, tools, out);
    read_rules(egress.findings(), egress.strings("static_tcp", "db.example.org:5432"), Via::kKernel,
               Layer::kProject, "", out.layer.rules);
    read_rules(egress.findings(), egress.strings("relayed", "*.example.com:443"), Via::kGateway,
               Layer::kProject, "", out.layer.rules);
    for (auto& rule : egress.tables("rule")) read_long_rule(rule, out);
    read_required(egress, out);
    if (auto resolve = egress.table("resolve")) read_resolve(*resolve, out);
    if (auto limits = egress.table("limits")) {
        if (const auto most = limits->integer("learned_addresses", 1, 4096))
            out.learned_addresses = static_cast<std::uint32_t>(*most);
        limits->finish();
    }
    read_later_egress(egress);
    egress.finish();
}

}  // namespace sluice::config
