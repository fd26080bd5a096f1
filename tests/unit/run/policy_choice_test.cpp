#include "run/policy_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "../os/temp_dir.h"

namespace sluice::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PolicyChoice, ANamedFileIsTrusted) {
    const test::TempDir dir;
    std::ofstream(dir / "p.toml") << "[egress]\n";
    const auto choice = choose_policy((dir / "p.toml").string(), false, dir.path(), {});
    ASSERT_TRUE(choice) << choice.error().message;
    ASSERT_TRUE(choice->policy);
    EXPECT_EQ(choice->policy->text, "[egress]\n");
    EXPECT_EQ(choice->policy->path, (dir / "p.toml").string());
    EXPECT_THAT(choice->notes, IsEmpty());
}

TEST(PolicyChoice, AMissingNamedFileIsAUsageError) {
    const auto choice = choose_policy("/no/such.toml", true, "/", {});
    ASSERT_FALSE(choice);
    EXPECT_EQ(choice.error().code, Errc::kInvalid);
    EXPECT_THAT(choice.error().message, HasSubstr("--policy: open '/no/such.toml'"));
}

TEST(PolicyChoice, AFoundFileIsNamedAndNotUsed) {
    const test::TempDir dir;
    std::ofstream(dir / ".sluice.toml") << "[egress]\nstatic_tcp = [\"evil.example:443\"]\n";
    const auto choice = choose_policy({}, false, dir.path(), {});
    ASSERT_TRUE(choice);
    EXPECT_FALSE(choice->policy);
    EXPECT_THAT(choice->notes,
                ElementsAre(AllOf(HasSubstr("--policy " + (dir / ".sluice.toml").string()),
                                  HasSubstr("every connection is refused"))));
    const auto with_allow = choose_policy({}, true, dir.path(), {});
    EXPECT_FALSE(with_allow->policy);
    EXPECT_THAT(with_allow->notes, ElementsAre(HasSubstr("only the --allow rules")));
}

TEST(PolicyChoice, NothingMeansDenyAllAndIsSaid) {
    const test::TempDir dir;
    EXPECT_THAT(choose_policy({}, false, dir.path(), {})->notes,
                ElementsAre(HasSubstr("every connection is refused")));
    EXPECT_THAT(choose_policy({}, true, dir.path(), {})->notes, IsEmpty());
}

}  // namespace
}  // namespace sluice::run
