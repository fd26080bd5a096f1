#include "config/registries.h"

#include <gtest/gtest.h>

namespace sluice::config {
namespace {

using Texts = std::vector<std::string>;

Texts found(std::string_view tool, const ToolConfig& config) {
    Texts out;
    for (const auto& registry : find_registries(tool, config).found)
        out.push_back(registry.endpoint.to_string() + (registry.main ? "" : " extra"));
    return out;
}

TEST(Registries, UrlsBecomeEndpoints) {
    struct Row {
        const char* url;
        const char* endpoint;
    };
    for (const auto& [url, endpoint] :
         {Row{"https://a.example", "a.example:443"}, Row{"HTTP://A.example/x", "a.example:80"},
          Row{"https://a.example:8443/x?y#z", "a.example:8443"},
          Row{"https://u:p@a.example/x", "a.example:443"},
          Row{"https://u:p%40x@a.example:1/", "a.example:1"},
          Row{"https://[2001:db8::1]:8443/", "[2001:db8::1]:8443"},
          Row{"https://[2001:db8::1]/", "[2001:db8::1]:443"},
          Row{"sparse+https://index.example/", "index.example:443"},
          Row{"http://127.0.0.1:4873/", "127.0.0.1:4873"}}) {
        const auto parsed = endpoint_of_url(url);
        ASSERT_TRUE(parsed) << url << ": " << parsed.error().message;
        EXPECT_EQ(parsed->to_string(), endpoint) << url;
    }
    for (const auto* url :
         {"", "a.example", "ftp://a.example", "https://", "https:///x", "https://127.1/",
          "https://${HOST}/", "git://a.example/x", "https://a.example:0/", "https://a.example:*/",
          "https://a.example:1-9/", "https://a.example:1,2/", "https://*.example/"})
        EXPECT_FALSE(endpoint_of_url(url)) << url;
    // A slash in the password ends the host.
    for (const auto* url : {"https://u:hunter2/x@a.example/", "https://u:hunter2?@a.example"}) {
        const auto parsed = endpoint_of_url(url);
        ASSERT_FALSE(parsed) << url;
        EXPECT_EQ(parsed.error().message.find("hunter2"), std::string::npos) << url;
    }
}

TEST(Registries, Npmrc) {
    ToolConfig config;
    config.npm_registry = "https://env.example/";
    config.npmrc = {{".npmrc",
                     "; comment\n# registry=https://no.example/\n"
                     "registry=\"https://quoted.example/\"\r\n"
                     "  @a:registry = https://scope.example/\n"
                     "//quoted.example/:_authToken=secret\nregistry\nproxy=http://p.example/"}};
    EXPECT_EQ(found("npm", config),
              (Texts{"env.example:443", "quoted.example:443", "scope.example:443 extra"}));
}

TEST(Registries, AptSourcesInBothFormats) {
    ToolConfig config;
    config.apt_sources = {{"sources.list",
                           "# deb http://no.example/ x main\n"
                           "deb http://one.example/os stable main\n"
                           "deb-src [ signed-by=/k.gpg ] https://two.example:8080/os stable main\n"
                           "deb cdrom:[disc]/ stable main\ndeb [broken\ndeb\n"},
                          {"x.sources",
                           "Types: deb\nURIs: http://three.example/os\n  https://four.example/os\n"
                           "# URIs: http://no.example/\nSuites: stable\n no.example\n"
                           "uris: mirror+http://five.example/list file:/srv/os\n"}};
    EXPECT_EQ(found("apt", config), (Texts{"one.example:80", "two.example:8080", "three.example:80",
                                           "four.example:443", "five.example:80"}));
}

TEST(Registries, PipConfiguration) {
    ToolConfig config;
    config.pip_conf = {{"pip.conf",
                        "[global]\nindex-url = https://main.example/simple\n"
                        "extra-index-url =\n    https://one.example/simple\n"
                        "    https://two.example/simple\ntimeout = 60\n"
                        "trusted-host = no.example\n"}};
    EXPECT_EQ(found("pip", config),
              (Texts{"main.example:443", "one.example:443 extra", "two.example:443 extra"}));
}

TEST(Registries, CargoSources) {
    ToolConfig config;
    config.cargo_config = {{"config.toml",
                            "[source.crates-io]\nreplace-with = \"m\"\n"
                            "[source.m]\nregistry = \"sparse+https://m.example/\"\n"
                            "[registries.own]\nindex = \"https://own.example/git\"\n"}};
    EXPECT_EQ(found("cargo", config), (Texts{"m.example:443", "own.example:443 extra"}));
    config.cargo_config = {{"config.toml", "not toml"}};
    EXPECT_EQ(find_registries("cargo", config).unusable.size(), 1U);
}

TEST(Registries, WhatTheReaderCouldNotTakeIsTold) {
    ToolConfig config;
    config.npmrc = {{"~/.npmrc", "registry=https://a.example/\n", "too\nlarge"}};
    config.apt_sources = config.pip_conf = config.cargo_config = {{"f", "", "denied"}};
    EXPECT_EQ(found("npm", config), Texts{"a.example:443"});
    EXPECT_EQ(find_registries("npm", config).unusable, Texts{"~/.npmrc: too\\nlarge"});
    for (const auto* tool : {"apt", "pip", "cargo"})
        EXPECT_EQ(find_registries(tool, config).unusable, Texts{"f: denied"}) << tool;
}

TEST(Registries, GoProxies) {
    ToolConfig config;
    config.go_proxy = "https://a.example|https://b.example/x,direct";
    EXPECT_EQ(found("go", config), (Texts{"a.example:443", "b.example:443"}));
    config.go_proxy = "off";
    EXPECT_TRUE(found("go", config).empty());
}

}  // namespace
}  // namespace sluice::config
