#include "policy/address.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

IpAddress at(std::string_view text) {
    return *IpAddress::parse(text);
}

TEST(Address, MappedIsTheIpv4Address) {
    EXPECT_EQ(at("::ffff:192.0.2.1"), at("192.0.2.1"));
    EXPECT_EQ(at("::ffff:192.0.2.1").to_string(), "192.0.2.1");
    EXPECT_TRUE(at("::ffff:c000:201").is_v4());
    EXPECT_FALSE(at("::192.0.2.1").is_v4());
    EXPECT_EQ(at("192.0.2.1"), IpAddress::v4(0xc0000201));
}

TEST(Address, PrintsAsRfc5952Says) {
    EXPECT_EQ(at("2001:DB8:0:0:1:0:0:1").to_string(), "2001:db8::1:0:0:1");
    EXPECT_EQ(at("0:0:0:0:0:0:0:0").to_string(), "::");
    EXPECT_EQ(at("2001:db8:0:1:1:1:1:1").to_string(), "2001:db8:0:1:1:1:1:1");
}

TEST(Address, RefusesEverythingElse) {
    for (const auto* text : {"", " 1.2.3.4", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256",
                             "::1%lo", "[::1]", "1::2::3", "12345::", "::ffff:010.0.0.1", "name"})
        EXPECT_FALSE(IpAddress::parse(text)) << text;
    EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0", 8)));
}

TEST(Address, PrivateIsWhatNoPublicNameShouldMean) {
    for (const auto* text :
         {"10.0.0.1",        "172.16.0.1", "172.31.255.255",    "192.168.1.1",  "100.64.0.1",
          "100.127.255.255", "127.0.0.1",  "169.254.169.254",   "0.0.0.0",      "0.1.2.3",
          "224.0.0.1",       "240.0.0.1",  "255.255.255.255",   "::",           "::1",
          "::7f00:1",        "fe80::1",    "febf::1",           "fec0::1",      "fc00::1",
          "fd00:ec2::254",   "ff02::1",    "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:a00:1::",
          "2002:7f00:1::1"})
        EXPECT_TRUE(at(text).is_private()) << text;
    for (const auto* text :
         {"8.8.8.8", "172.32.0.1", "172.15.0.1", "100.128.0.1", "169.253.0.1", "192.169.0.1",
          "11.0.0.0", "2001:db8::1", "64:ff9b::8.8.8.8", "2002:808:808::1", "fe00::1"})
        EXPECT_FALSE(at(text).is_private()) << text;
}

TEST(Address, LoopbackAndWhatTheKernelConnectsTo) {
    EXPECT_TRUE(at("127.255.0.1").is_loopback());
    EXPECT_TRUE(at("::1").is_loopback());
    EXPECT_FALSE(at("128.0.0.1").is_loopback());
    EXPECT_FALSE(at("::2").is_loopback());
    EXPECT_EQ(canonical_destination(at("0.0.0.0")), at("127.0.0.1"));
    EXPECT_EQ(canonical_destination(at("::")), at("::1"));
    EXPECT_EQ(canonical_destination(at("0.0.0.1")), at("0.0.0.1"));
}

TEST(Address, Ipv4InsideNat64And6to4) {
    EXPECT_EQ(embedded_v4(at("64:ff9b::169.254.169.254")), at("169.254.169.254"));
    EXPECT_EQ(embedded_v4(at("2002:a9fe:a9fe::1")), at("169.254.169.254"));
    EXPECT_FALSE(embedded_v4(at("64:ff9b:0:1::1")));
    EXPECT_FALSE(embedded_v4(at("2001:db8::1")));
    EXPECT_FALSE(embedded_v4(at("10.0.0.1")));
}

TEST(Prefix, ContainsByFamily) {
    const auto prefix = [](std::string_view text) { return *IpPrefix::parse(text); };
    EXPECT_TRUE(prefix("10.0.0.0/8").contains(at("10.255.0.1")));
    EXPECT_FALSE(prefix("10.0.0.0/8").contains(at("11.0.0.0")));
    EXPECT_TRUE(prefix("0.0.0.0/0").contains(at("8.8.8.8")));
    EXPECT_FALSE(prefix("0.0.0.0/0").contains(at("2001:db8::1")));
    EXPECT_TRUE(prefix("::/0").contains(at("2001:db8::1")));
    EXPECT_FALSE(prefix("::/0").contains(at("8.8.8.8"))) << "IPv6 networks do not grant IPv4";
    EXPECT_TRUE(prefix("::/0").contains(prefix("2001:db8::/32")));
    EXPECT_FALSE(prefix("10.0.0.0/8").contains(prefix("10.0.0.0/7")));
    EXPECT_EQ(prefix("::ffff:10.0.0.0/104"), prefix("10.0.0.0/8"));
    EXPECT_EQ(prefix("::ffff:0:0/96").to_string(), "0.0.0.0/0");
}

}  // namespace
}  // namespace sluice
