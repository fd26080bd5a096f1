#include "config/units.h"

#include <gtest/gtest.h>

#include "config/grants.h"
#include "config/suggest.h"

namespace sluice::config {
namespace {

TEST(Units, Durations) {
    EXPECT_EQ(parse_duration("90s")->count(), 90);
    EXPECT_EQ(parse_duration("15m")->count(), 900);
    EXPECT_EQ(parse_duration("24h")->count(), 86400);
    EXPECT_EQ(parse_duration("7d")->count(), 7 * 86400);
    EXPECT_EQ(parse_duration("0s")->count(), 0);
    for (const auto* text : {"", "1", "h", "-1h", "1.5h", "1h30m", "01h", "99999999999s", " 1h"})
        EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Units, Sizes) {
    EXPECT_EQ(*parse_size("6g"), 6ULL << 30);
    EXPECT_EQ(*parse_size("512M"), 512ULL << 20);
    EXPECT_EQ(*parse_size("1048576"), 1048576U);
    for (const auto* text : {"", "g", "0", "0g", "-1g", "6gb", "1.5g", "99999999999t"})
        EXPECT_FALSE(parse_size(text)) << text;
}

TEST(Suggest, NearestOrNone) {
    const std::vector<std::string> known{"enabled", "static_tcp", "rule"};
    EXPECT_EQ(nearest("enabld", known), "enabled");
    EXPECT_EQ(nearest("static-tcp", known), "static_tcp");
    EXPECT_EQ(nearest("rules", known), "rule");
    EXPECT_EQ(nearest("completely_else", known), "");
    EXPECT_EQ(nearest("", known), "");
    EXPECT_EQ(nearest(std::string(1000, 'a'), known), "");
}

TEST(Grants, PrincipalPatterns) {
    EXPECT_TRUE(matches_principal("user:alice", "user:alice"));
    EXPECT_FALSE(matches_principal("user:alice", "user:alice2"));
    EXPECT_TRUE(matches_principal("sandbox:web-*", "sandbox:web-1"));
    EXPECT_TRUE(matches_principal("sandbox:web-*", "sandbox:web-"));
    EXPECT_FALSE(matches_principal("sandbox:web-*", "sandbox:api-1"));
    EXPECT_TRUE(matches_principal("sandbox:*-x-*", "sandbox:a-x-x-b"));
    EXPECT_FALSE(matches_principal("sandbox:*-x", "sandbox:a-x-b"));
    EXPECT_TRUE(matches_principal("user:*", "user:"));
}

}  // namespace
}  // namespace sluice::config
