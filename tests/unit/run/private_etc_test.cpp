#include "run/private_etc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../os/temp_dir.h"
#include "os/files.h"

namespace sluice::run {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PrivateEtc, PinnedNamesComeFirst) {
    EXPECT_EQ(
        compose_hosts({{"192.0.2.1", {"a.example", "b.example"}}, {"2001:db8::1", {"a.example"}}},
                      "127.0.0.1 localhost"),
        "# Names of this sandbox's policy, with the addresses that it may reach.\n"
        "192.0.2.1 a.example b.example\n"
        "2001:db8::1 a.example\n"
        "# From here on the host's own file.\n"
        "127.0.0.1 localhost\n");
}

TEST(PrivateEtc, TheAgentsAnswerIsChecked) {
    const auto entries = parse_hosts(json::parse(
        R"([{"address":"192.0.2.1","names":["a.example"]},{"address":"192.0.2.2","names":[]}])"));
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 1u);
    EXPECT_EQ(entries->front().names.front(), "a.example");
    for (const char* bad :
         {"{}", R"([1])", R"([{"address":"x"}])", R"([{"address":"1\n2","names":[]}])",
          R"([{"address":"","names":["a"]}])", R"([{"address":"1","names":["a b"]}])",
          R"([{"address":"1","names":[7]}])", R"([{"address":"1","names":["a#b"]}])"})
        EXPECT_FALSE(parse_hosts(json::parse(bad))) << bad;
}

TEST(PrivateEtc, NsswitchKeepsAllButHosts) {
    EXPECT_EQ(
        compose_nsswitch("passwd: files systemd\nhosts: files mdns4_minimal [NOTFOUND=return] "
                         "dns\n\thosts:\tresolve\nnetworks: files"),
        "passwd: files systemd\nnetworks: files\nhosts: files dns\n");
    EXPECT_EQ(compose_nsswitch(""), "hosts: files dns\n");
}

class WriteEtc : public testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(dir_ / "host/etc");
        fs::create_directory(dir_ / "run");
    }
    void host(const std::string& file, const std::string& text) {
        std::ofstream(dir_ / ("host/etc/" + file)) << text;
    }
    Result<PrivateEtc> write(bool own_dns = true) {
        return write_private_etc((dir_ / "run").string(), {.pinned = {{"192.0.2.1", {"a.example"}}},
                                                           .own_dns = own_dns,
                                                           .host_root = (dir_ / "host").string()});
    }
    std::string written(const std::string& file) {
        return os::read_file(dir_ / ("run/etc/" + file), 1 << 20).value();
    }
    test::TempDir dir_;
};

TEST_F(WriteEtc, InOpenModeOtherNamesAreTheHostsBusiness) {
    for (const char* file : {"hosts", "nsswitch.conf", "resolv.conf"}) host(file, "x\n");
    fs::create_directories(dir_ / "host/run/nscd");
    const auto etc = write(false);
    ASSERT_TRUE(etc) << etc.error().message;
    ASSERT_EQ(etc->binds.size(), 1u);
    EXPECT_EQ(etc->binds[0].target, dir_ / "host/etc/hosts");
    EXPECT_THAT(written("hosts"), HasSubstr("192.0.2.1 a.example"));
}

TEST_F(WriteEtc, OneBindForEachFileOfTheHost) {
    host("hosts", "127.0.0.1 localhost\n");
    host("nsswitch.conf", "hosts: resolve\n");
    fs::create_directories(dir_ / "host/elsewhere");
    std::ofstream(dir_ / "host/elsewhere/stub") << "nameserver 192.0.2.53\n";
    fs::create_symlink("../elsewhere/stub", dir_ / "host/etc/resolv.conf");
    fs::create_directories(dir_ / "host/run/nscd");
    const auto etc = write();
    ASSERT_TRUE(etc) << etc.error().message;
    EXPECT_THAT(etc->warnings, IsEmpty());
    ASSERT_EQ(etc->binds.size(), 4u);
    EXPECT_EQ(etc->binds[0].target, dir_ / "host/etc/hosts");
    EXPECT_EQ(etc->binds[3].target, dir_ / "host/run/nscd");
    EXPECT_THAT(written("hosts"), HasSubstr("192.0.2.1 a.example"));
    EXPECT_THAT(written("resolv.conf"), HasSubstr("options timeout:0 attempts:1"));
    EXPECT_EQ(written("nsswitch.conf"), "hosts: files dns\n");
    const auto mode = fs::status(dir_ / "run/etc/hosts").permissions();
    EXPECT_EQ(mode, fs::perms(0644)) << "the command's user reads it";
}

TEST_F(WriteEtc, MissingFilesAreWarnings) {
    host("hosts", "");
    fs::create_symlink("/no/such", dir_ / "host/etc/resolv.conf");
    const auto etc = write();
    ASSERT_TRUE(etc) << etc.error().message;
    ASSERT_EQ(etc->binds.size(), 1u);
    ASSERT_EQ(etc->warnings.size(), 2u);
    EXPECT_THAT(etc->warnings[0], HasSubstr("resolv.conf is missing or a dangling symlink"));
    EXPECT_THAT(etc->warnings[1], HasSubstr("nsswitch.conf"));
}

TEST_F(WriteEtc, LeftoversOfAKilledLauncherAreReplaced) {
    host("hosts", "");
    ASSERT_TRUE(write());
    ASSERT_TRUE(write());
    ASSERT_TRUE(remove_private_etc((dir_ / "run").string()));
    EXPECT_FALSE(fs::exists(dir_ / "run/etc"));
    EXPECT_TRUE(remove_private_etc((dir_ / "run").string()));
    EXPECT_TRUE(remove_private_etc((dir_ / "none").string()));
}

TEST_F(WriteEtc, NoSymlinkInsteadOfOurDirectory) {
    host("hosts", "");
    fs::create_directory(dir_ / "elsewhere");
    fs::create_directory_symlink(dir_ / "elsewhere", dir_ / "run-link");
    const EtcRequest request{.pinned = {}, .host_root = (dir_ / "host").string()};
    EXPECT_FALSE(write_private_etc((dir_ / "run-link").string(), request));
    EXPECT_TRUE(fs::is_empty(dir_ / "elsewhere"));
}

}  // namespace
}  // namespace sluice::run
