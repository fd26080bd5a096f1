// The sandbox's own /etc/hosts, resolv.conf and nsswitch.conf: names of the policy resolve from the
// hosts file to the very addresses that the kernel allows; every other look-up fails at once.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/mounts.h"

namespace sluice::run {

struct HostsEntry {
    std::string address;
    std::vector<std::string> names;
};
// `hosts` of sandbox.create's answer.
Result<std::vector<HostsEntry>> parse_hosts(const nlohmann::json& hosts);

// The pinned entries first (the first match wins), then the host's own file.
std::string compose_hosts(const std::vector<HostsEntry>& pinned, std::string_view host_file);
std::string compose_resolv_conf();
// The host's file with its `hosts:` line replaced by "hosts: files dns": other sources (mdns,
// resolve, myhostname) ask daemons outside the sandbox over sockets.
std::string compose_nsswitch(std::string_view host_file);

struct PrivateEtc {
    std::vector<Bind> binds;
    std::vector<std::string> warnings;  // files that the host doesn't have, and what follows
};
struct EtcRequest {
    std::vector<HostsEntry> pinned;
    bool own_dns = true;  // false: only /etc/hosts is private, other names resolve as on the host
    std::string host_root = "/";  // another one in tests
};
// Writes the files below `run_dir`/etc (made here) and says what to bind where.
Result<PrivateEtc> write_private_etc(const std::string& run_dir, const EtcRequest& request);
// Takes the names of these files away; what is bound stays as it is. Missing ones are fine.
Status remove_private_etc(const std::string& run_dir);

}  // namespace sluice::run
