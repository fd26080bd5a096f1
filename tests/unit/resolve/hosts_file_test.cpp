#include "resolve/hosts_file.h"

#include <gmock/gmock.h>

namespace sluice::resolve {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

IpAddress ip(const char* text) {
    return IpAddress::parse(text).value();
}

TEST(HostsFile, ReadsNamesAliasesAndComments) {
    const auto entries = parse_hosts(
        "# a comment\n"
        "192.0.2.1\tdb.example.org db  # the database\n"
        "  2001:db8::1   db.example.org\r\n"
        "192.0.2.9 other.example.org",
        {"db.example.org", "db", "other.example.org"});
    ASSERT_THAT(entries, SizeIs(3));
    EXPECT_THAT(entries.at("db.example.org"), ElementsAre(ip("192.0.2.1"), ip("2001:db8::1")));
    EXPECT_THAT(entries.at("db"), ElementsAre(ip("192.0.2.1")));
    EXPECT_THAT(entries.at("other.example.org"), ElementsAre(ip("192.0.2.9")));
}

TEST(HostsFile, KeepsOnlyWhatIsAskedFor) {
    EXPECT_THAT(parse_hosts("192.0.2.1 a.test b.test\n", {"c.test"}), IsEmpty());
    // Exactly the name: neither a label in front nor a part of one.
    EXPECT_THAT(parse_hosts("192.0.2.1 www.a.test xa.test\n", {"a.test"}), IsEmpty());
}

TEST(HostsFile, NamesMeetByCaseAndTrailingDot) {
    const auto entries = parse_hosts("192.0.2.1 A.Test.\n", {"a.test"});
    EXPECT_THAT(entries.at("a.test"), ElementsAre(ip("192.0.2.1")));
}

TEST(HostsFile, TheSameAddressTwiceIsOne) {
    const auto entries = parse_hosts("192.0.2.1 a.test\n::ffff:192.0.2.1 a.test\n", {"a.test"});
    EXPECT_THAT(entries.at("a.test"), ElementsAre(ip("192.0.2.1")));
}

TEST(HostsFile, SkipsLinesThatMakeNoSense) {
    const auto entries = parse_hosts(
        "not-an-address a.test\n"
        "fe80::1%eth0 a.test\n"
        "192.0.2.1\n"
        "\n"
        "127.1 a.test\n"
        "192.0.2.2 a.test\n",
        {"a.test"});
    EXPECT_THAT(entries.at("a.test"), ElementsAre(ip("192.0.2.2")));
}

TEST(HostsFile, AMissingFileIsEmpty) {
    EXPECT_THAT(read_hosts("/nonexistent/hosts", {"a.test"}), IsEmpty());
}

}  // namespace
}  // namespace sluice::resolve
