#include "run/private_etc.h"

#include <filesystem>

#include "os/files.h"

namespace sluice::run {
namespace {

constexpr std::size_t kLimit = 4U << 20;

struct File {
    const char* name;     // below /etc
    const char* missing;  // what follows from its absence
};
constexpr File kHosts{"hosts", "allowed names do not resolve inside the sandbox"};
constexpr File kResolv{"resolv.conf", "refused look-ups of some programs wait for their time-out"};
constexpr File kNsswitch{"nsswitch.conf", "glibc programs may ask DNS before the hosts file"};

// A blank or a control character would end the address or start another line.
bool one_word(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) <= ' ' || c == '#' || c == '\x7f') return false;
    return !text.empty();
}

std::string lines_without(std::string_view text, std::string_view key) {
    std::string kept;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const auto start = line.find_first_not_of(" \t");
        if (start == std::string_view::npos || !line.substr(start).starts_with(key))
            kept.append(line).append("\n");
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return kept;
}

// Adds the file and its bind, or the warning that there is nothing to bind over.
Status place(PrivateEtc& etc, int dir, const std::string& source_dir, const std::string& host_root,
             const File& file, const std::string& content) {
    const std::string target = (std::filesystem::path(host_root) / "etc" / file.name).string();
    std::error_code error;
    // Follows symlinks, as the bind mount will.
    if (!std::filesystem::exists(target, error)) {
        etc.warnings.push_back(target + " is missing or a dangling symlink: " + file.missing);
        return {};
    }
    SLUICE_TRY(os::create_file_at(dir, file.name, content, 0644));
    etc.binds.push_back({.source = source_dir + "/" + file.name, .target = target});
    return {};
}

std::string host_file(const std::string& host_root, const File& file) {
    const auto path = std::filesystem::path(host_root) / "etc" / file.name;
    // A missing one is told by place().
    return os::read_file(path, kLimit).value_or(std::string());
}

}  // namespace

Result<std::vector<HostsEntry>> parse_hosts(const nlohmann::json& hosts) {
    const Error bad = Error::failed("the agent's answer has a malformed 'hosts' list");
    if (!hosts.is_array()) return bad;
    std::vector<HostsEntry> entries;
    for (const auto& item : hosts) {
        if (!item.is_object() || !item.contains("address") || !item["address"].is_string() ||
            !item.contains("names") || !item["names"].is_array())
            return bad;
        HostsEntry entry{.address = item["address"].get<std::string>(), .names = {}};
        if (!one_word(entry.address)) return bad;
        for (const auto& name : item["names"]) {
            if (!name.is_string() || !one_word(name.get<std::string>())) return bad;
            entry.names.push_back(name.get<std::string>());
        }
        if (!entry.names.empty()) entries.push_back(std::move(entry));
    }
    return entries;
}

std::string compose_hosts(const std::vector<HostsEntry>& pinned, std::string_view host_file) {
    std::string text = "# Names of this sandbox's policy, with the addresses that it may reach.\n";
    for (const auto& entry : pinned) {
        text += entry.address;
        for (const auto& name : entry.names) text += " " + name;
        text += "\n";
    }
    text += "# From here on the host's own file.\n";
    text += host_file;
    if (!text.ends_with('\n')) text += "\n";
    return text;
}

std::string compose_resolv_conf() {
    // musl sends to its servers and waits `timeout` seconds whatever errno the send got: with 0 it
    // gives up at once. glibc does so by itself on EPERM.
    return "# In this sandbox names come from /etc/hosts; DNS is refused.\n"
           "nameserver 127.0.0.1\n"
           "options timeout:0 attempts:1\n";
}

std::string compose_nsswitch(std::string_view host_file) {
    return lines_without(host_file, "hosts:") + "hosts: files dns\n";
}

Result<PrivateEtc> write_private_etc(const std::string& run_dir, const EtcRequest& request) {
    // A launcher that was killed may have left one.
    SLUICE_TRY(remove_private_etc(run_dir));
    SLUICE_ASSIGN(const UniqueFd run, os::open_dir(run_dir));
    SLUICE_ASSIGN(const UniqueFd dir, os::make_dir_at(run.get(), "etc", 0755));
    const std::string source = run_dir + "/etc";
    PrivateEtc etc;
    const std::string& host_root = request.host_root;
    const auto put = [&](const File& file, const std::string& content) {
        return place(etc, dir.get(), source, host_root, file, content);
    };
    SLUICE_TRY(put(kHosts, compose_hosts(request.pinned, host_file(host_root, kHosts))));
    if (!request.own_dns) return etc;
    SLUICE_TRY(put(kResolv, compose_resolv_conf()));
    SLUICE_TRY(put(kNsswitch, compose_nsswitch(host_file(host_root, kNsswitch))));
    // nscd would answer look-ups from outside, over a socket that glibc asks first.
    const std::string nscd = (std::filesystem::path(host_root) / "run/nscd").string();
    std::error_code error;
    if (std::filesystem::is_directory(nscd, error)) {
        SLUICE_ASSIGN(const UniqueFd empty, os::make_dir_at(dir.get(), "empty", 0755));
        etc.binds.push_back({.source = source + "/empty", .target = nscd});
    }
    return etc;
}

Status remove_private_etc(const std::string& run_dir) {
    const auto run = os::open_dir(run_dir);
    if (!run) return run.error().code == Errc::kNotFound ? Status() : Status(run.error());
    return os::remove_tree_at(run->get(), "etc");
}

}  // namespace sluice::run
