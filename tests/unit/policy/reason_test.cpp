#include "policy/reason.h"

#include <gtest/gtest.h>
#include <sluice/abi.h>

#include <set>

namespace sluice {
namespace {

TEST(Reason, EveryNumberOfTheAbiHasItsOwnIdAndText) {
    std::set<std::string_view> ids;
    for (std::uint8_t reason = 0; reason <= SLUICE_REASON_INTERNAL; ++reason) {
        if (reason > SLUICE_REASON_TO_EGRESS && reason < SLUICE_FIRST_DENY_REASON) continue;
        EXPECT_NE(reason_id(reason), "unknown") << int{reason};
        EXPECT_FALSE(reason_text(reason).empty());
        EXPECT_TRUE(ids.insert(reason_id(reason)).second) << reason_id(reason);
    }
}

TEST(Reason, DenialsAreToldFromAllowances) {
    EXPECT_TRUE(is_denial(SLUICE_REASON_NOT_CONFIGURED));
    EXPECT_TRUE(is_denial(SLUICE_REASON_NO_RULE));
    EXPECT_TRUE(is_denial(SLUICE_REASON_INTERNAL));
    EXPECT_TRUE(is_denial(255)) << "a number from a newer kernel side is not shown as allowed";
    EXPECT_FALSE(is_denial(SLUICE_REASON_RULE));
    EXPECT_FALSE(is_denial(SLUICE_REASON_TO_EGRESS));
    EXPECT_FALSE(is_denial(SLUICE_REASON_TO_EGRESS));
}

TEST(Reason, UnknownNumbersAreAnswered) {
    EXPECT_EQ(reason_id(15), "unknown");
    EXPECT_EQ(reason_id(200), "unknown");
}

}  // namespace
}  // namespace sluice
