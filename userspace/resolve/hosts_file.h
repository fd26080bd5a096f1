// The hosts file, as glibc reads it: the addresses of the names that are asked for.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/address.h"

namespace sluice::resolve {

using HostsEntries = std::map<std::string, std::vector<IpAddress>>;

// Only names of `wanted` (canonical text) are kept, so a hosts file with a million blocked names
// costs nothing. A line that makes no sense is skipped, as every libc does; an address with a zone
// (fe80::1%eth0) can't be a rule's and is skipped too.
HostsEntries parse_hosts(std::string_view text, const std::set<std::string>& wanted);

// A file that is missing or unreadable has no entries.
HostsEntries read_hosts(const std::filesystem::path& path, const std::set<std::string>& wanted);

}  // namespace sluice::resolve
