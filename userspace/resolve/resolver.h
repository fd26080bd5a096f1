// Names to addresses by c-ares: all names in parallel under one deadline.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/resolution.h"

namespace sluice::resolve {

struct Options {
    std::chrono::milliseconds deadline{5000};  // for all names together
    std::filesystem::path resolv_conf = "/etc/resolv.conf";
    std::filesystem::path hosts = "/etc/hosts";
    // "127.0.0.1:5353", "[::1]:53"; when not empty, instead of resolv_conf's servers (tests, labs).
    std::vector<std::string> servers;
};

// Every A and AAAA of every name; /etc/hosts first, and said so in `answered_by`; search lists are
// not applied; UDP, then TCP when truncated. A name that fails is in the Resolution with its error
// and never affects another. The call itself fails only when no resolver could be set up at all.
Result<Resolution> resolve(const std::vector<DnsName>& names, const Options& options);

}  // namespace sluice::resolve
