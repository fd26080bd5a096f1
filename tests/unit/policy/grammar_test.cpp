// The rule grammar: one table of what each form means. docs/policy-reference.md shows the same
// rows.
#include <gtest/gtest.h>

#include "policy/rule.h"

namespace sluice {
namespace {

struct Accepted {
    const char* written;
    const char* canonical;
};

const Accepted kAccepted[] = {
    {"example.com:443", "example.com:443"},
    {"EXAMPLE.com:443", "example.com:443"},
    {"example.com.:443", "example.com:443"},
    {"my_db:5432", "my_db:5432"},
    {"bücher.example:443", "xn--bcher-kva.example:443"},
    {"BÜCHER.example:443", "xn--bcher-kva.example:443"},
    {"faß.example:443", "xn--fa-hia.example:443"},
    {"localhost:11434", "localhost:11434"},
    {"*.example.com:443", "*.example.com:443"},
    {"*.Bücher.example.:443", "*.xn--bcher-kva.example:443"},
    {"192.0.2.1:443", "192.0.2.1:443"},
    {"192.0.2.1/32:443", "192.0.2.1:443"},
    {"10.0.0.0/8:22", "10.0.0.0/8:22"},
    {"0.0.0.0/0:443", "0.0.0.0/0:443"},
    {"[2001:db8::7]:443", "[2001:db8::7]:443"},
    {"[2001:DB8:0:0::7]:443", "[2001:db8::7]:443"},
    {"[2001:db8::]/32:443", "[2001:db8::]/32:443"},
    {"[2001:db8::/32]:443", "[2001:db8::]/32:443"},
    {"[::]/0:443", "[::]/0:443"},
    {"[2001:db8::7/128]:443", "[2001:db8::7]:443"},
    {"[::ffff:192.0.2.1]:443", "192.0.2.1:443"},
    {"[::ffff:c000:201]:443", "192.0.2.1:443"},
    {"[::ffff:10.0.0.0/104]:22", "10.0.0.0/8:22"},
    {"[::ffff:10.0.0.0]/104:22", "10.0.0.0/8:22"},
    {"example.com:22,443", "example.com:22,443"},
    {"example.com:443,22,443", "example.com:22,443"},
    {"example.com:22,8000-8100", "example.com:22,8000-8100"},
    {"example.com:80-90,85-100,101", "example.com:80-101"},
    {"example.com:*", "example.com:*"},
    {"example.com:1-65535", "example.com:*"},
};

TEST(Grammar, AcceptedFormsBecomeCanonical) {
    for (const auto& row : kAccepted) {
        const auto parsed = Endpoint::parse(row.written);
        ASSERT_TRUE(parsed) << row.written << ": " << parsed.error().message;
        EXPECT_EQ(parsed->to_string(), row.canonical) << row.written;
        EXPECT_EQ(Endpoint::parse(row.canonical)->to_string(), row.canonical);
    }
}

struct Refused {
    std::string_view written;
    const char* says;  // a part of the error: the remedy, where there is one
};

using namespace std::string_view_literals;
const Refused kRefused[] = {
    // numbers in disguise
    {"127.1:80", "write 127.0.0.1"},
    {"0x7f.1:80", "write 127.0.0.1"},
    {"2130706433:80", "write 127.0.0.1"},
    {"0x7f000001:80", "write 127.0.0.1"},
    {"010.0.0.1:80", "write 10.0.0.1, or 8.0.0.1 if the leading zero meant octal"},
    {"192.0.2.1.:80", "write 192.0.2.1"},
    {"256.1.1.1:80", "write four decimal numbers from 0 to 255"},
    {"1.2.3.4.5:80", "write four decimal numbers from 0 to 255"},
    {"example.123:80", "write four decimal numbers"},
    {"0.0.0.0:80", "write 127.0.0.1"},
    {"[::]:80", "write ::1"},
    // ports
    {"example.com", "write example.com:443"},
    {"example.com:", "write example.com:443"},
    {"10.0.0.0/8", "write 10.0.0.0/8:443"},
    {"[2001:db8::7]", "has no port"},
    {"example.com:0", "from 1 to 65535"},
    {"example.com:65536", "from 1 to 65535"},
    {"example.com:-1", "from 1 to 65535"},
    {"example.com:http", "from 1 to 65535"},
    {"example.com:0443", "write 443"},
    {"example.com:90-80", "write 80-90"},
    {"example.com:1-", "from 1 to 65535"},
    {"example.com:80,", "from 1 to 65535"},
    {"example.com:80,*", "stands alone"},
    {"example.com:80, 443", "blank"},
    // hosts
    {"", "write HOST:PORT"},
    {":443", "has no host"},
    {"*", "would allow every host"},
    {"*:443", "would allow every host"},
    {"*.:443", "would allow every host"},
    {"*.*.com:443", "only a leading"},
    {"a.*.com:443", "only a leading"},
    {"*example.com:443", "only a leading"},
    {"ex*mple.com:443", "only a leading"},
    {"*.10.0.0.1:443", "write 10.0.0.1"},
    {"a..b:443", "empty label"},
    {".example.com:443", "empty label"},
    {"example.com..:443", "empty label"},
    {"-a.example:443", "hyphen"},
    {"a-.example:443", "hyphen"},
    {"exa$mple.com:443", "cannot be in a DNS name"},
    {"exa\\mple.com:443", "cannot be in a DNS name"},
    {"example.com/path:443", "has a path"},
    {"https://example.com/:443", "write HOST:PORT, as in example.com:443"},
    {"http://example.com", "example.com:80"},
    {"user@example.com:22", "has a user"},
    {" example.com:443", "blank"},
    {"example.com :443", "blank"},
    {"example.com:443\n", "\\n"},
    {"exam\0ple.com:443"sv, "\\x00"},
    {"exam\x1b[31mple.com:443", "\\x1b"},
    {"exam\xff\xfeple.com:443", "\\xff"},
    {"a\xcc\x80\xe2\x80\x8b.example:443", "\\u{200b}"},
    // IPv6 and networks
    {"2001:db8::7:443", "in brackets: write [2001:db8::7:443]:443"},
    {"2001:db8::1:2:3:4:5:443", "in brackets"},
    {"2001:db8:1:2:3:4:5:6:443", "write [2001:db8:1:2:3:4:5:6]:443"},
    {"2001:db8::/32:443", "write [2001:db8::/32]:443"},
    {"a:b:c", "more than one colon"},
    {"[2001:db8::7", "never closed"},
    {"[2001:db8::7]443", "has no port"},
    {"[2001:db8::7]x:443", "after \"]\""},
    {"[10.0.0.1]:443", "write 10.0.0.1"},
    {"[fe80::1%eth0]:443", "zone"},
    {"[2001:db8::g]:443", "not an IPv6 address"},
    {"[]:443", "only IPv6"},
    {"10.0.0.5/8:22", "write 10.0.0.0/8"},
    {"10.0.0.0/33:22", "from 0 to 32"},
    {"10.0.0.0/08:22", "from 0 to 32"},
    {"10.0.0.0/:22", "from 0 to 32"},
    {"10.0/16:22", "write 10.0.0.0"},
    {"[2001:db8::7/32]:443", "write 2001:db8::/32"},
    {"[2001:db8::]/129:443", "from 0 to 128"},
    {"[::ffff:10.0.0.5/104]:22", "write 10.0.0.0"},
};

TEST(Grammar, RefusedFormsSayWhatWasMeant) {
    for (const auto& row : kRefused) {
        const auto parsed = Endpoint::parse(row.written);
        ASSERT_FALSE(parsed) << row.written << " became " << parsed->to_string();
        EXPECT_EQ(parsed.error().code, Errc::kInvalid);
        EXPECT_NE(parsed.error().message.find(row.says), std::string::npos)
            << row.written << ": " << parsed.error().message;
    }
}

TEST(Grammar, FullWidthDigitsAreStillANumber) {
    const auto parsed = Endpoint::parse("１２７.０.０.１:80");
    ASSERT_FALSE(parsed);
    EXPECT_NE(parsed.error().message.find("write 127.0.0.1"), std::string::npos);
}

TEST(Grammar, LabelsAndNamesHaveTheirLimits) {
    const std::string label63(63, 'a'), label64(64, 'a');
    EXPECT_TRUE(DnsName::parse(label63 + ".example"));
    EXPECT_FALSE(DnsName::parse(label64 + ".example"));
    const std::string name253 =
        label63 + "." + label63 + "." + label63 + "." + std::string(61, 'b');
    ASSERT_EQ(name253.size(), 253U);
    EXPECT_TRUE(DnsName::parse(name253));
    EXPECT_TRUE(DnsName::parse(name253 + "."));
    EXPECT_FALSE(DnsName::parse(name253 + "b"));
    EXPECT_FALSE(DnsName::parse(std::string(100'000, 'a')));
}

TEST(Grammar, WildcardCoversWhatIsBelowAlone) {
    const Wildcard wildcard{{"example.com"}};
    EXPECT_TRUE(wildcard.covers({"a.example.com"}));
    EXPECT_TRUE(wildcard.covers({"a.b.example.com"}));
    EXPECT_FALSE(wildcard.covers({"example.com"}));
    EXPECT_FALSE(wildcard.covers({"notexample.com"}));
    EXPECT_FALSE(wildcard.covers({"example.com.evil.test"}));
    EXPECT_FALSE(wildcard.covers({".example.com"}));
}

TEST(Grammar, SourceNamesLayerPlaceAndDetail) {
    EXPECT_EQ((Source{Layer::kProject, ".sluice.toml", 4, "preset npm"}.to_string()),
              "project .sluice.toml:4 (preset npm)");
    EXPECT_EQ((Source{Layer::kCommand, "--allow", 0, ""}.to_string()), "command --allow");
    EXPECT_EQ((Source{Layer::kBuiltin, "", 0, "link-local"}.to_string()), "builtin (link-local)");
}

}  // namespace
}  // namespace sluice
