#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.h"
#include "sandbox/manager.h"

namespace sluice::sandbox::test {

class ManagerTest : public testing::Test {
  protected:
    static CreateRequest request(std::vector<std::string> allow = {}) {
        CreateRequest made;
        made.name = "web";
        made.owner = 1000;
        made.pid = 4242;
        made.pidfd = 9;
        made.parent = 4241;
        made.allow = std::move(allow);
        return made;
    }
    static CreateRequest with_policy(std::string text) {
        CreateRequest made = request();
        made.project = Project{".sluice.toml", std::move(text)};
        return made;
    }
    nlohmann::json create(const CreateRequest& request) {
        auto made = manager_.create(request);
        EXPECT_TRUE(made) << made.error().message;
        return made ? *made : nlohmann::json();
    }
    nlohmann::json listing() {
        auto read = manager_.egress_list(*manager_.find("web"));
        EXPECT_TRUE(read) << read.error().message;
        return read ? *read : nlohmann::json();
    }
    nlohmann::json explain(const std::string& target) {
        auto answer = manager_.explain(*manager_.find("web"), target);
        EXPECT_TRUE(answer) << answer.error().message;
        return answer ? *answer : nlohmann::json();
    }
    std::uint32_t id_of(const std::string& text) {
        for (const PlannedRule& rule : manager_.find("web")->rules) {
            if (rule.text == text) return rule.id.value;
        }
        ADD_FAILURE() << "no rule " << text;
        return 0;
    }
    void resolves(const std::string& name, const std::vector<std::string>& addresses,
                  std::chrono::seconds age = std::chrono::seconds(0)) {
        ResolvedName& made = resolution_.names[name];
        for (const auto& one : addresses) made.addresses.push_back(ip(one));
        made.when = host_.now() - age;
    }
    void fails_to_resolve(const std::string& name, const std::string& why) {
        resolution_.names[name].error = why;
    }
    static IpAddress ip(std::string_view text) { return *IpAddress::parse(text); }

    World world_;
    FakeKernel kernel_{world_};
    FakeHost host_{world_};
    Resolution resolution_;
    std::vector<std::string> resolved_;
    Manager manager_{{.cgroup_root = "/cg/sluice",
                      .policy_dir = "/nonexistent/policy.d",
                      .preset_dir = SLUICE_SOURCE_DIR "/userspace/config/presets",
                      .degraded = {}},
                     kernel_,
                     host_,
                     [this](const std::vector<DnsName>& names) -> Result<Resolution> {
                         SLUICE_TRY(world_.step("resolve"));
                         for (const auto& name : names) resolved_.push_back(name.text);
                         return resolution_;
                     }};
};

}  // namespace sluice::sandbox::test
