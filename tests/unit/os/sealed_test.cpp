#include "os/sealed.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sluice::os {
namespace {

TEST(Sealed, ArrivesAsItWasAndCannotBeChanged) {
    const std::string text = "[egress]\n" + std::string(3'000'000, '#') + '\0' + "\n";
    const auto fd = make_sealed("policy", text);
    ASSERT_TRUE(fd) << fd.error().message;
    EXPECT_EQ(read_sealed(fd->get(), text.size()).value(), text);
    EXPECT_EQ(read_sealed(fd->get(), text.size()).value(), text) << "the offset does not matter";
    EXPECT_EQ(::pwrite(fd->get(), "x", 1, 0), -1);
    EXPECT_EQ(::ftruncate(fd->get(), 0), -1);
    EXPECT_EQ(::fcntl(fd->get(), F_GETFD), FD_CLOEXEC);
    EXPECT_EQ(read_sealed(make_sealed("policy", "")->get(), 0).value(), "");
}

TEST(Sealed, EverySealCountsAndSoDoesTheLimit) {
    constexpr int kAll = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    for (const int left_out : {F_SEAL_WRITE, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL}) {
        const UniqueFd fd(::memfd_create("policy", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        ASSERT_EQ(::fcntl(fd.get(), F_ADD_SEALS, kAll & ~left_out), 0);
        EXPECT_EQ(read_sealed(fd.get(), 10).error().code, Errc::kInvalid) << left_out;
    }
    const UniqueFd plain(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(read_sealed(plain.get(), 10).error().code, Errc::kInvalid);
    EXPECT_EQ(read_sealed(-1, 10).error().code, Errc::kInvalid);
    EXPECT_EQ(read_sealed(make_sealed("policy", "12345")->get(), 4).error().code, Errc::kInvalid);
}

}  // namespace
}  // namespace sluice::os
