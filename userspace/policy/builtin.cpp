#include "policy/policy.h"

namespace sluice {
namespace {

DenyEntry entry(std::string_view prefix, std::string_view note) {
    const bool single = prefix.find('/') == prefix.npos;
    DenyEntry deny;
    deny.prefix = single ? IpPrefix::host(*IpAddress::parse(prefix)) : *IpPrefix::parse(prefix);
    deny.ports = *PortSet::parse("*");
    deny.source = {Layer::kBuiltin, "", 0, std::string(note)};
    deny.note = note;
    return deny;
}

}  // namespace

const std::vector<DenyEntry>& builtin_denies() {
    static const std::vector<DenyEntry> kDenies{
        entry("169.254.169.254", "cloud metadata"),
        entry("fd00:ec2::254", "cloud metadata"),
        entry("fd20:ce::254", "cloud metadata"),
        entry("100.100.100.200", "cloud metadata"),
        entry("168.63.129.16", "cloud host agent"),
        entry("192.0.0.192", "cloud metadata"),
        entry("169.254.0.0/16", "link-local"),
        entry("fe80::/10", "link-local"),
        entry("224.0.0.0/4", "multicast"),
        entry("ff00::/8", "multicast"),
        entry("255.255.255.255", "broadcast"),
        // 0.0.0.0 itself never gets here: the kernel connects to loopback for it.
        entry("0.0.0.0/8", "this network"),
    };
    return kDenies;
}

}  // namespace sluice
