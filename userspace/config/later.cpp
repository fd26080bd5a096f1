#include "config/project_parts.h"
#include "config/registries.h"
#include "config/units.h"
#include "policy/text.h"

namespace sluice::config {
namespace {

void note(const TableReader& reader, std::uint32_t line, std::string key, std::string_view effect) {
    reader.findings().add(Severity::kNote, line, std::move(key), "parsed; " + std::string(effect));
}

void error(const TableReader& reader, const Text& text, std::string what, std::string remedy) {
    reader.findings().add(Severity::kError, text.line, text.key, in_quotes(text.value) + what,
                          std::move(remedy));
}

void read_listen(TableReader& egress) {
    const Value* value = egress.any("listen");
    if (!value) return;
    const auto* list = value->as<std::vector<Value>>();
    if (!list)
        return egress.wrong(*value, egress.path_of("listen"), "a list of ports", "listen = [8080]");
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto& item = (*list)[i];
        std::string key = egress.path_of("listen") + "[" + std::to_string(i) + "]";
        const auto* port = item.as<std::int64_t>();
        if (!port)
            egress.wrong(item, std::move(key), "a port number", "listen = [8080]");
        else if (*port < 1 || *port > 65535)
            egress.findings().add(Severity::kError, item.line, std::move(key),
                                  std::to_string(*port) + " is not a port",
                                  "write a number from 1 to 65535");
    }
    if (!list->empty())
        note(egress, value->line, egress.path_of("listen"),
             "listening ports are not opened in this version: peers beyond loopback get no answer");
}

void read_unix(TableReader& egress) {
    const auto sockets = egress.strings("unix", "$SSH_AUTH_SOCK");
    for (const auto& text : sockets)
        if (text.value.empty() || std::string_view("/$~@").find(text.value[0]) == std::string::npos)
            error(egress, text, " is not a socket's path",
                  "write an absolute path, $VARIABLE, ~/path or @abstract");
    if (!sockets.empty())
        note(egress, sockets[0].line, egress.path_of("unix"),
             "Unix sockets of the host are not opened one by one in this version");
}

void read_allow(TableReader& egress) {
    const auto allow = egress.strings("allow", "userns");
    for (const auto& text : allow)
        if (text.value != "userns" && text.value != "io_uring")
            error(egress, text, " is none of userns, io_uring", "write one of them");
    if (!allow.empty())
        note(egress, allow[0].line, egress.path_of("allow"),
             "the launcher is not relaxed in this version");
}

void read_gateway(TableReader& gateway) {
    gateway.boolean("relay_all");
    if (const auto upstream = gateway.string("upstream", "http://127.0.0.1:8080"))
        if (const auto endpoint = endpoint_of_url(upstream->value); !endpoint)
            gateway.findings().add(Severity::kError, upstream->line, upstream->key,
                                   "is not the URL of an HTTP proxy",
                                   "write it as in http://127.0.0.1:8080");
    note(gateway, gateway.line(), "egress.gateway", "the gateway is not part of this version");
    gateway.finish();
}

void read_memory(TableReader& resources) {
    if (const auto text = resources.string("memory", "6g"))
        if (const auto size = parse_size(text->value); !size)
            resources.findings().add(text->line, text->key, size.error());
}

void read_cpus(TableReader& resources) {
    const Value* value = resources.any("cpus");
    if (!value) return;
    const auto* whole = value->as<std::int64_t>();
    const auto* part = value->as<double>();
    if (!whole && !part)
        return resources.wrong(*value, "resources.cpus", "a number", "cpus = 6, or 0.5");
    const double cpus = whole ? static_cast<double>(*whole) : *part;
    if (!(cpus > 0 && cpus <= 65536))
        resources.findings().add(Severity::kError, value->line, "resources.cpus",
                                 "is not a number of CPUs",
                                 "write a number above 0, as in 6 or 0.5");
}

// Paths and destinations become arguments of other programs: none may look like an option.
void read_argument(TableReader& reader, std::string_view key, std::string_view example) {
    const auto text = reader.required_string(key, example);
    if (!text) return;
    if (text->value.empty())
        error(reader, *text, " is empty", "write it as in " + std::string(example));
    if (text->value.starts_with('-'))
        error(reader, *text, " begins with \"-\"", "write it as in " + std::string(example));
}

void read_mount(TableReader& mount) {
    read_argument(mount, "source", "~/.cache/x");
    read_argument(mount, "target", "/cache");
    if (const auto target = mount.string("target", "/cache"))
        if (!target->value.empty() && target->value[0] != '/' && target->value[0] != '-')
            error(mount, *target, " is not an absolute path", "write it as in /cache");
    mount.word("mode", {"ro", "rw"});
    mount.finish();
}

}  // namespace

void read_later_egress(TableReader& egress) {
    read_listen(egress);
    read_unix(egress);
    read_allow(egress);
    if (const auto proxy = egress.word("proxy_env", {"auto", "always", "never"}))
        note(egress, proxy->line, proxy->key, "no proxy variables are set in this version");
    if (auto gateway = egress.table("gateway")) read_gateway(*gateway);
}

void read_resources(TableReader& resources) {
    read_memory(resources);
    read_cpus(resources);
    resources.integer("pids_limit", 1, 4194304);
    note(resources, resources.line(), "resources", "resource limits are not set in this version");
    resources.finish();
}

void read_mounts(TableReader& root) {
    auto mounts = root.tables("mounts");
    for (auto& mount : mounts) read_mount(mount);
    if (!mounts.empty())
        note(root, mounts[0].line(), "mounts", "mounts are not made in this version");
}

void read_remotes(TableReader& root) {
    auto remotes = root.tables("remote");
    for (auto& remote : remotes) {
        read_argument(remote, "name", "builder");
        read_argument(remote, "ssh", "user@server");
        remote.finish();
    }
    if (!remotes.empty())
        note(root, remotes[0].line(), "remote", "remotes are not used in this version");
}

}  // namespace sluice::config
