#include "config/preset.h"
#include "config/preset_dir.h"

#include <gtest/gtest.h>

#include "config/problems.h"

namespace sluice::config {
namespace {

std::vector<std::string> rules_of(const std::string& preset, const ToolConfig& tools,
                                  std::vector<Problem>* problems = nullptr) {
    const ProjectFile file = test::parse("[egress]\npresets = [\"" + preset + "\"]\n", tools);
    std::vector<std::string> out;
    for (const auto& rule : file.layer.rules) out.push_back(rule.text());
    if (problems) *problems = file.problems;
    return out;
}

using Texts = std::vector<std::string>;

TEST(Presets, EveryShippedOneLoads) {
    const auto names = preset_names(test::kPresets);
    for (const auto* want : {"github", "npm", "pypi", "crates", "go", "debian", "apt",
                             "huggingface", "anthropic", "openai"})
        EXPECT_NE(std::ranges::find(names, want), names.end()) << want;
    for (const auto& name : names) {
        const auto preset = load_preset(test::kPresets, name);
        ASSERT_TRUE(preset) << preset.error().message;
        EXPECT_TRUE(!preset->from.empty() || !preset->static_tcp.empty()) << name;
    }
}

TEST(Presets, HostsComeFromThePresetAndSaySo) {
    const ProjectFile file = test::parse("[egress]\npresets = [\n\"github\"]\n");
    ASSERT_FALSE(file.layer.rules.empty());
    EXPECT_EQ(file.layer.rules[0].text(), "github.com:22,443");
    EXPECT_EQ(file.layer.rules[0].sources[0].to_string(), "project f.toml:3 (preset github)");
}

TEST(Presets, NpmAndAptNameNoHostOfTheirOwn) {
    for (const auto* name : {"npm", "apt", "debian"}) {
        const auto preset = load_preset(test::kPresets, name);
        ASSERT_TRUE(preset);
        EXPECT_TRUE(preset->static_tcp.empty() && preset->relayed.empty() &&
                    preset->fallback.empty());
        std::vector<Problem> problems;
        EXPECT_TRUE(rules_of(name, {}, &problems).empty());
        EXPECT_FALSE(has_errors(problems));
        EXPECT_TRUE(test::says(problems, "warning: egress.presets[0]"));
        EXPECT_TRUE(test::says(problems, "write the registry's HOST:443 under static_tcp"));
    }
}

TEST(Presets, TheToolsOwnConfigurationIsUsed) {
    ToolConfig tools;
    tools.npmrc = {{"~/.npmrc",
                    "registry = https://npm.corp.example:8443/a/\n"
                    "@team:registry=http://team.example/\n"}};
    tools.apt_sources = {
        {"sources.list", "deb [arch=amd64] http://mirror.example/os stable main\n"}};
    EXPECT_EQ(rules_of("npm", tools), (Texts{"npm.corp.example:8443", "team.example:80"}));
    EXPECT_EQ(rules_of("debian", tools), Texts{"mirror.example:80"});
    EXPECT_EQ(rules_of("apt", tools), Texts{"mirror.example:80"});
    const ProjectFile file = test::parse("[egress]\npresets = [\"npm\"]\n", tools);
    EXPECT_EQ(file.layer.rules[0].sources[0].detail, "preset npm, ~/.npmrc");
    EXPECT_TRUE(test::says(file.problems,
                           "f.toml:2: note: egress.presets[0]: preset npm takes "
                           "npm.corp.example:8443 from ~/.npmrc, team.example:80 from ~/.npmrc"));
}

TEST(Presets, LieBesideTheInstalledProgram) {
    EXPECT_EQ(preset_dir_of("/usr/bin/sluice"), "/usr/share/sluice/presets");
    EXPECT_EQ(preset_dir_of("/x/y/libexec/sluice/sluiced"), "/x/y/share/sluice/presets");
    EXPECT_EQ(preset_dir_of("/opt/sluice/bin/sluiced"), "/opt/sluice/share/sluice/presets");
}

TEST(Presets, ManyHostsAreOneLineAllTheSame) {
    ToolConfig tools;
    for (const char c : {'a', 'b', 'c', 'd', 'e', 'f', 'g'})
        tools.npmrc.push_back({"rc", "registry=https://" + std::string(1, c) + ".example/\n"});
    std::vector<Problem> problems;
    rules_of("npm", tools, &problems);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_TRUE(problems[0].text.ends_with("e.example:443 from rc and 2 more")) << problems[0].text;
}

TEST(Presets, DefaultsGiveWayToAConfiguredMirrorAlone) {
    ToolConfig extra, main;
    extra.pip_extra_index_url = "https://extra.example/simple";
    main.pip_index_url = "https://user:hunter2@mirror.example/simple";
    EXPECT_EQ(rules_of("pypi", {}), (Texts{"pypi.org:443", "files.pythonhosted.org:443"}));
    EXPECT_EQ(rules_of("pypi", extra),
              (Texts{"extra.example:443", "pypi.org:443", "files.pythonhosted.org:443"}));
    EXPECT_EQ(rules_of("pypi", main), Texts{"mirror.example:443"});
}

TEST(Presets, WhatCannotBeUsedIsSaidWithoutThePassword) {
    ToolConfig tools;
    tools.npm_registry = "ftp://user:hunter2@x.example/";
    std::vector<Problem> problems;
    EXPECT_TRUE(rules_of("npm", tools, &problems).empty());
    EXPECT_TRUE(test::says(problems, "NPM_CONFIG_REGISTRY: not an http or https URL"));
    EXPECT_FALSE(test::says(problems, "hunter2"));
}

TEST(Presets, UnknownOnesAreErrorsThatListTheKnown) {
    std::vector<Problem> problems;
    rules_of("githup", {}, &problems);
    EXPECT_TRUE(test::says(problems,
                           "\"githup\" is not a preset; did you mean \"github\"? the "
                           "presets are anthropic, apt, "));
}

TEST(Presets, ABrokenPresetFileIsNamed) {
    const test::TemporaryDirectory dir;
    dir.write("mine.toml", "description = \"x\"\nstatic_tcp = [\"a.example\"]\n");
    const auto file = parse_project("[egress]\npresets = [\"mine\"]\n", "f.toml", dir.path());
    EXPECT_FALSE(file.usable());
    EXPECT_TRUE(test::says(file.problems, "mine.toml:2: error: static_tcp[0]"))
        << test::all(file.problems);
}

}  // namespace
}  // namespace sluice::config
