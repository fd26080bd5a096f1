#include "policy/ports.h"

#include <gtest/gtest.h>

#include "policy/port_segments.h"

namespace sluice {
namespace {

TEST(Ports, SetsAreSortedAndMerged) {
    const auto set = *PortSet::parse("443,22,8000-8100,8101,20-25");
    EXPECT_EQ(set.to_string(), "20-25,443,8000-8101");
    EXPECT_TRUE(set.contains(25));
    EXPECT_TRUE(set.contains(8101));
    EXPECT_FALSE(set.contains(26));
    EXPECT_FALSE(set.contains(0));
}

TEST(Ports, EmptyMeansNone) {
    EXPECT_TRUE(PortSet{}.empty());
    EXPECT_FALSE(PortSet{}.contains(443));
    EXPECT_TRUE(PortSet::single(0).empty());
    EXPECT_FALSE(PortSet::parse(""));
}

TEST(Ports, AllIsOnlyWhatIsWrittenSo) {
    EXPECT_EQ(PortSet::parse("*")->to_string(), "*");
    EXPECT_EQ(PortSet::parse("1-65534")->to_string(), "1-65534");
    EXPECT_EQ(*PortSet::parse("1-65535"), *PortSet::parse("*"));
}

TEST(PortSegments, LowestRankWinsEachPort) {
    const auto won =
        winners({{5, 50, 1, 100}, {3, 30, 10, 20}, {4, 40, 15, 30}, {9, 90, 200, 201}});
    const std::vector<PortSegment> want{
        {5, 50, 1, 9}, {3, 30, 10, 20}, {4, 40, 21, 30}, {5, 50, 31, 100}, {9, 90, 200, 201}};
    EXPECT_EQ(won, want);
    EXPECT_EQ(segment_at(won, 9)->value, 50U);
    EXPECT_EQ(segment_at(won, 10)->value, 30U);
    EXPECT_EQ(segment_at(won, 150), nullptr);
    EXPECT_EQ(segment_at(won, 65535), nullptr);
}

TEST(PortSegments, NeighboursOfOneWinnerAreMerged) {
    EXPECT_EQ(winners({{1, 7, 1, 5}, {1, 7, 6, 9}}), (std::vector<PortSegment>{{1, 7, 1, 9}}));
    EXPECT_EQ(winners({{1, 7, 1, 65535}, {2, 8, 5, 5}}),
              (std::vector<PortSegment>{{1, 7, 1, 65535}}));
    EXPECT_TRUE(winners({}).empty());
}

}  // namespace
}  // namespace sluice
