#include "policy/random_policy.h"

#include <algorithm>

namespace sluice::test {
namespace {

using rc::gen::element;
using rc::gen::exec;
using rc::gen::inRange;

// Bits that vary are few, so that a random network often holds a random address.
IpAddress small_address(int family, unsigned bits) {
    const std::uint32_t v4 = 0x0a000000U | (bits & 3U) << 16 | (bits >> 2 & 7U);
    if (family == 0) return IpAddress::v4(v4);
    std::uint8_t b[16] = {0x20, 0x01, 0x0d, 0xb8};
    if (family == 1) {
        b[5] = static_cast<std::uint8_t>(bits & 3U);
        b[15] = static_cast<std::uint8_t>(bits >> 2 & 7U);
    } else if (family == 2) {  // NAT64 of the IPv4 ones
        const std::uint8_t nat64[16] = {0, 0x64, 0xff, 0x9b};
        std::copy_n(nat64, 12, b);
        std::copy_n(IpAddress::v4(v4).bytes.begin() + 12, 4, b + 12);
    } else {  // 6to4
        b[1] = 0x02;
        std::copy_n(IpAddress::v4(v4).bytes.begin() + 12, 4, b + 2);
    }
    return IpAddress::from_v6_bytes(b);
}

IpAddress odd_address(std::size_t which) {
    static const char* const kOdd[] = {"127.0.0.1",
                                       "::1",
                                       "0.0.0.0",
                                       "::",
                                       "127.0.0.2",
                                       "169.254.169.254",
                                       "100.100.100.200",
                                       "224.0.0.1",
                                       "64:ff9b::a9fe:a9fe",
                                       "fe80::1",
                                       "8.8.8.8",
                                       "2002:a9fe:a9fe::1"};
    return *IpAddress::parse(kOdd[which % std::size(kOdd)]);
}

IpPrefix cut(const IpAddress& address, unsigned length) {
    IpPrefix prefix{address, static_cast<std::uint8_t>(length)};
    for (unsigned bit = length; bit < 128; ++bit)
        prefix.base.bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80U >> (bit % 8)));
    return prefix;
}

rc::Gen<IpPrefix> any_network() {
    return exec([] {
        const IpAddress address = *any_address();
        if (address.is_v4())
            return cut(address, 96 + *element(0U, 4U, 8U, 14U, 15U, 16U, 29U, 31U, 32U));
        return cut(address, *element(0U, 1U, 16U, 32U, 48U, 64U, 80U, 95U, 96U, 112U, 126U, 128U));
    });
}

Host as_rule_host(const IpPrefix& prefix) {
    return prefix.is_single() ? IpPrefix::host(canonical_destination(prefix.base)) : prefix;
}

Rule any_rule() {
    Rule rule;
    rule.endpoint = *any_endpoint();
    rule.via = *rc::gen::weightedElement<Via>({{5, Via::kKernel}, {1, Via::kGateway}});
    rule.sources = {{*element(Layer::kBaseline, Layer::kProject), "f", 1, ""}};
    return rule;
}

DenyEntry any_deny() {
    DenyEntry deny;
    deny.prefix = *any_network();
    deny.ports = *any_ports();
    deny.source = {Layer::kBaseline, "d", 1, ""};
    return deny;
}

Resolution any_resolution() {
    Resolution resolution;
    for (const auto* name : {"a.example", "b.example", "c.example"}) {
        auto addresses = *rc::gen::container<std::vector<IpAddress>>(any_address());
        std::ranges::sort(addresses);
        addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
        resolution.names[name].addresses = std::move(addresses);
    }
    return resolution;
}

}  // namespace

rc::Gen<IpAddress> any_address() {
    return exec([] {
        const int kind = *inRange(0, 6);
        const unsigned bits = *inRange(0U, 32U);
        return kind < 5 ? small_address(std::min(kind, 3), bits) : odd_address(bits);
    });
}

rc::Gen<std::uint16_t> any_port() {
    return element<std::uint16_t>(0, 1, 22, 53, 80, 81, 82, 443, 8000, 65535);
}

rc::Gen<PortSet> any_ports() {
    return rc::gen::map(element<std::string>("22", "80", "81", "443", "53", "80,443", "22-80", "*",
                                             "80-82", "81-8000", "1-79,81,443-65535", "65535"),
                        [](const std::string& text) { return *PortSet::parse(text); });
}

rc::Gen<Endpoint> any_endpoint() {
    return exec([] {
        Endpoint endpoint{
            *DnsName::parse(*element<std::string>("a.example", "b.example", "c.example")),
            *any_ports()};
        const int kind = *inRange(0, 5);
        if (kind == 0 || kind == 1) endpoint.host = as_rule_host(*any_network());
        if (kind == 2) endpoint.host = as_rule_host(IpPrefix::host(*any_address()));
        if (kind == 3 && *inRange(0, 4) == 0) endpoint.host = Wildcard{{"example"}};
        return endpoint;
    });
}

rc::Gen<World> any_world() {
    return exec([] {
        LayerRules layer;
        const int rules = *inRange(0, 12), denies = *inRange(0, 5);
        for (int i = 0; i < rules; ++i) layer.rules.push_back(any_rule());
        for (int i = 0; i < denies; ++i) layer.denies.push_back(any_deny());
        World world{join({layer}, Time{}), any_resolution()};
        world.policy.enabled = *inRange(0, 30) != 0;
        world.policy.mode =
            *rc::gen::weightedElement<Mode>({{3, Mode::kManaged}, {1, Mode::kOpen}});
        world.policy.learned_addresses = *element(1U, 2U, 64U);
        if (*rc::gen::arbitrary<bool>())
            world.policy.allow_private = {{"a.example"}, {"b.example"}};
        return world;
    });
}

}  // namespace sluice::test
