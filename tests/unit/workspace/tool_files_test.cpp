#include "workspace/tool_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

#include "../os/temp_dir.h"
#include "config/registries.h"

namespace sluice::workspace {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A made-up machine: /etc and /usr below `root`, a home and a project in it.
class Tools : public testing::Test {
  protected:
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text;
    }
    config::ToolConfig read() {
        fs::create_directories(root_ / "home/u/proj/sub");
        return read_tools({.root = root_.path(),
                           .working_dir = root_ / "home/u/proj/sub",
                           .home = root_ / "home/u",
                           .env = [this](const char* name) -> std::optional<std::string> {
                               const auto found = env_.find(name);
                               if (found == env_.end()) return std::nullopt;
                               return found->second;
                           }});
    }
    // "HOST:PORT ORIGIN", and what could not be used.
    static std::vector<std::string> hosts(std::string_view tool, const config::ToolConfig& tools) {
        const auto registries = find_registries(tool, tools);
        std::vector<std::string> out = registries.unusable;
        for (const auto& one : registries.found)
            out.push_back(one.endpoint.to_string() + " " + one.origin + (one.main ? "" : " extra"));
        return out;
    }
    static std::string everything(const config::ToolConfig& tools) {
        std::string all =
            tools.npm_registry + tools.pip_index_url + tools.pip_extra_index_url + tools.go_proxy;
        for (const auto* files :
             {&tools.npmrc, &tools.apt_sources, &tools.pip_conf, &tools.cargo_config})
            for (const auto& file : *files) all += file.file + file.text + file.problem;
        return all;
    }

    test::TempDir root_;
    std::map<std::string, std::string> env_;
};

TEST_F(Tools, NothingConfiguredIsNothing) {
    EXPECT_EQ(everything(read()), "");
}

constexpr const char* kNotTrusted =
    "names a registry; a project file is not trusted: write its host under static_tcp";

TEST_F(Tools, NpmReadsTheUserAndTheSystemAndTellsOfTheProject) {
    write("home/u/proj/.git/HEAD", "");
    write("home/u/proj/.npmrc", "registry=https://project.example/\n");
    write("home/u/proj/sub/.npmrc", "@a:registry=https://sub.example:8443/x\n");
    write("home/u/.npmrc", "registry=https://user.example/\n");
    write("etc/npmrc", "registry=http://system.example/\n");
    env_["NPM_CONFIG_REGISTRY"] = "https://env.example/path";
    EXPECT_THAT(
        hosts("npm", read()),
        ElementsAre(".npmrc: " + std::string(kNotTrusted), "../.npmrc: " + std::string(kNotTrusted),
                    "env.example:443 NPM_CONFIG_REGISTRY", "user.example:443 ~/.npmrc",
                    "system.example:80 /etc/npmrc"));
    env_ = {{"npm_config_registry", "http://lower.example"},
            {"NPM_CONFIG_USERCONFIG", "../../other"}};
    write("home/u/other", "registry=https://other.example/\n");
    EXPECT_THAT(hosts("npm", read()),
                testing::AllOf(testing::Contains("lower.example:80 NPM_CONFIG_REGISTRY"),
                               testing::Contains(HasSubstr("other.example:443")),
                               Not(testing::Contains(HasSubstr("user.example")))));
}

TEST_F(Tools, OutsideAGitTreeAFileFurtherUpIsSomebodyElses) {
    write("home/u/proj/.npmrc", "registry=https://above.example/\n");
    write("home/u/proj/sub/.npmrc", "registry=https://own.example/\n");
    EXPECT_THAT(hosts("npm", read()), ElementsAre(".npmrc: " + std::string(kNotTrusted)));
}

// A clone brings them, or a command that ran in a sandbox here wrote them.
TEST_F(Tools, NoFileOfTheProjectWidensWhoeverNamesIt) {
    write("home/u/proj/.git/HEAD", "");
    write("home/u/proj/rc", "registry=https://evil.example/\n");
    write("home/u/proj/venv/pip.conf", "[global]\nindex-url = https://evil.example/\n");
    write("home/u/proj/sub/.cargo/config.toml",
          "[registries.own]\nindex = \"https://evil.example/git\"\n");
    write("home/u/proj/goenv", "GOPROXY=https://evil.example\n");
    fs::create_symlink("proj/rc", root_ / "home/u/.npmrc");
    env_ = {{"VIRTUAL_ENV", "../venv"}, {"GOENV", "../goenv"}};
    auto tools = read();
    EXPECT_THAT(everything(tools), Not(HasSubstr("evil")));
    for (const char* tool : {"npm", "pip", "cargo"})
        EXPECT_THAT(hosts(tool, tools), ElementsAre(HasSubstr(kNotTrusted))) << tool;
    env_ = {{"NPM_CONFIG_USERCONFIG", "../rc"}};
    EXPECT_THAT(hosts("npm", read()), ElementsAre("../rc: " + std::string(kNotTrusted)));
}

TEST_F(Tools, AProjectFileThatNamesNoRegistryIsNotTalkedAbout) {
    write("home/u/proj/sub/.npmrc", "save-exact=true\n");
    fs::create_directories(root_ / "home/u/proj/sub/.cargo/config.toml");
    EXPECT_EQ(everything(read()), "");
}

TEST_F(Tools, AHomeInTheProjectIsStillTheUsers) {
    write("home/u/.git/HEAD", "");
    write("home/u/.npmrc", "registry=https://user.example/\n");
    EXPECT_THAT(hosts("npm", read()), ElementsAre("user.example:443 ../../.npmrc"));
}

TEST_F(Tools, AptReadsItsSourcesInOrder) {
    write("etc/apt/sources.list", "deb http://one.example/os stable main\n");
    write("etc/apt/sources.list.d/b.list", "deb [arch=amd64] https://two.example/os stable main\n");
    write("etc/apt/sources.list.d/a.sources",
          "Types: deb\nURIs: https://three.example/os\nSigned-By:\n key\n");
    write("etc/apt/sources.list.d/c.save", "deb http://no.example/os stable main\n");
    EXPECT_THAT(hosts("apt", read()),
                ElementsAre("one.example:80 /etc/apt/sources.list",
                            "three.example:443 /etc/apt/sources.list.d/a.sources",
                            "two.example:443 /etc/apt/sources.list.d/b.list"));
}

TEST_F(Tools, PipCargoAndGo) {
    write("etc/pip.conf", "[global]\nindex-url = https://pip.example/simple\n");
    write("home/u/.config/pip/pip.conf", "[global]\nextra-index-url=https://more.example/\n");
    write("home/u/.cargo/config.toml",
          "[source.crates-io]\nreplace-with = \"m\"\n[source.m]\n"
          "registry = \"sparse+https://mirror.example/\"\n[registries.own]\n"
          "index = \"https://own.example/git\"\n");
    write("home/u/.config/go/env", "GOFLAGS=-x\nGOPROXY=https://go.example,direct\n");
    env_["PIP_EXTRA_INDEX_URL"] = "https://x.example/ https://y.example/";
    const auto tools = read();
    EXPECT_THAT(hosts("pip", tools), ElementsAre("x.example:443 PIP_EXTRA_INDEX_URL extra",
                                                 "y.example:443 PIP_EXTRA_INDEX_URL extra",
                                                 "more.example:443 ~/.config/pip/pip.conf extra",
                                                 "pip.example:443 /etc/pip.conf"));
    EXPECT_THAT(hosts("cargo", tools), ElementsAre("mirror.example:443 ~/.cargo/config.toml",
                                                   "own.example:443 ~/.cargo/config.toml extra"));
    EXPECT_THAT(hosts("go", tools), ElementsAre("go.example:443 GOPROXY"));
    env_["GOPROXY"] = "off";
    EXPECT_THAT(hosts("go", read()), IsEmpty());
}

TEST_F(Tools, NoCredentialLeaves) {
    write("home/u/.npmrc",
          "//npm.example/:_authToken=SECRET\nregistry=https://u:SECRET@npm.example/SECRET\n"
          "_password=SECRET\nregistry=ftp://u:SECRET@x.example/\n"
          "registry=https://u:SECRET/x@y.example/\n");
    write("etc/apt/sources.list", "deb https://u:SECRET@apt.example/SECRET stable main # SECRET\n");
    write(
        "etc/pip.conf",
        "[global]\nindex-url = https://u:SECRET@pip.example/simple?t=SECRET\nproxy = u:SECRET@p\n");
    write("home/u/.cargo/config.toml",
          "[registries.own]\nindex = \"https://u:SECRET@own.example/\"\ntoken = \"SECRET\"\n"
          "[registry]\ntoken = \"SECRET\"\n[http]\nproxy = \"u:SECRET@p\"\n");
    write("home/u/proj/.cargo/config.toml", "[registry]\ntoken = \"SECRET\n");
    write("home/u/.config/go/env", "GOPROXY=https://u:SECRET@go.example\nGOAUTH=SECRET\n");
    for (const char* name : {"NPM_CONFIG_REGISTRY", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"})
        env_[name] = "https://u:SECRET@env.example/SECRET ftp://u:SECRET@x";
    const std::string all = everything(read());
    for (const char* host :
         {"npm.example", "apt.example", "pip.example", "own.example", "go.example", "env.example"})
        EXPECT_THAT(all, HasSubstr(host));
    EXPECT_THAT(all, Not(HasSubstr("SECRET")));
    EXPECT_THAT(all, Not(HasSubstr("secret")));
}

TEST_F(Tools, WhatCanNotBeReadOrUsedIsTold) {
    fs::create_directories(root_ / "home/u/.npmrc");
    fs::create_directories(root_ / "etc");
    ASSERT_EQ(::mkfifo((root_ / "etc/pip.conf").c_str(), 0600), 0);
    write("etc/apt/sources.list", std::string((1U << 20U) + 1, '#'));
    write("home/u/.cargo/config.toml", "not toml");
    write("etc/npmrc", "registry=${HERE}\nregistry=${HERE}\n");
    env_["GOPROXY"] = "nonsense";
    const auto tools = read();
    EXPECT_THAT(
        hosts("npm", tools),
        ElementsAre("~/.npmrc: not a regular file",
                    "/etc/npmrc: not an http or https URL: write its HOST:PORT under static_tcp"));
    EXPECT_THAT(hosts("pip", tools), ElementsAre("/etc/pip.conf: not a regular file"));
    EXPECT_THAT(hosts("apt", tools), ElementsAre(HasSubstr("larger than 1048576 bytes")));
    EXPECT_THAT(hosts("cargo", tools), ElementsAre(HasSubstr("~/.cargo/config.toml: ")));
    EXPECT_THAT(hosts("go", tools), ElementsAre(HasSubstr("GOPROXY: not an http")));
}

TEST_F(Tools, TheAgentsLimitsAreKept) {
    std::string many;
    for (int i = 0; i < 2000; ++i)
        many += "deb https://" + std::string(50, 'a') + std::to_string(i) + ".example/os x y\n";
    for (int i = 0; i < 300; ++i)
        write("etc/apt/sources.list.d/" + std::to_string(1000 + i) + ".list",
              "deb https://h" + std::to_string(i) + ".example/os stable main\n");
    auto tools = read();
    EXPECT_EQ(tools.apt_sources.size(), config::kMaxToolFiles);
    EXPECT_EQ(tools.apt_sources.back().problem, "45 not looked at: there are too many hosts");
    write("etc/apt/sources.list", many);
    write("home/u/.cargo/config.toml", "[source.x]\nregistry = \"https://c.example\"\n");
    tools = read();
    EXPECT_LE(everything(tools).size(), config::kMaxToolBytes);
    EXPECT_THAT(tools.apt_sources.back().problem, HasSubstr("not looked at"));
}

TEST_F(Tools, AnotherUsersFilesAreReadWithTheirRights) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    auto daemon = os::identity_of(1);
    ASSERT_TRUE(daemon) << daemon.error().message;
    write("home/.npmrc", "registry=https://hidden.example/\n");
    daemon->home = root_ / "home";
    ::chmod(root_.path().c_str(), 0755);
    ::chmod((root_ / "home/.npmrc").c_str(), 0600);
    fs::create_directories(root_ / "proj");
    const auto tools = tools_of(*daemon, root_ / "proj");
    ASSERT_TRUE(tools) << tools.error().message;
    EXPECT_THAT(everything(*tools), Not(HasSubstr("hidden")));
    ASSERT_FALSE(tools->npmrc.empty());
    EXPECT_THAT(tools->npmrc[0].problem, HasSubstr("Permission denied"));
    EXPECT_EQ(::geteuid(), 0U);
    daemon->uid = 0;  // a root with this home
    const auto own = tools_of(*daemon, root_ / "proj");
    EXPECT_THAT(everything(*own), HasSubstr("hidden.example"));
}

}  // namespace
}  // namespace sluice::workspace
