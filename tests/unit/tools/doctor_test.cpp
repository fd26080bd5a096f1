#include "doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/btf.h>

#include <cerrno>
#include <cstring>

#include "bpf_try.h"

namespace sluice::cli {
namespace {

using testing::HasSubstr;

HostFacts good() {
    HostFacts facts;
    facts.release = "6.12.0-cloud-amd64";
    facts.cgroup2 = "/sys/fs/cgroup";
    facts.root = true;
    facts.capabilities = ~std::uint64_t{0};
    facts.btf = facts.bpffs = facts.bpffs_of_host = facts.systemd = true;
    facts.lsm = "lockdown,capability,bpf";
    facts.unprivileged_bpf = "2";
    return facts;
}

Finding of(const HostFacts& facts, const std::string& check) {
    for (const Finding& one : judge(facts)) {
        if (one.check == check) return one;
    }
    ADD_FAILURE() << "no check " << check;
    return {};
}

TEST(Doctor, AGoodHostHasNothingToFix) {
    for (const Finding& one : judge(good())) {
        EXPECT_EQ(one.health, Health::kOk) << one.check << ": " << one.text;
        EXPECT_EQ(one.fix, "") << one.check;
    }
    EXPECT_TRUE(can_run(judge(good())));
}

TEST(Doctor, EveryFailureStopsARunAndSaysHowToGoOn) {
    const std::pair<const char*, void (*)(HostFacts&)> kCases[] = {
        {"kernel", [](HostFacts& f) { f.release = "5.17.3"; }},
        {"cgroup2", [](HostFacts& f) { f.cgroup2.reset(); }},
        {"privileges", [](HostFacts& f) { f.root = false; }},
        {"privileges", [](HostFacts& f) { f.capabilities &= ~(std::uint64_t{1} << 39); }},
        {"user namespace", [](HostFacts& f) { f.user_namespace = true; }},
        {"bpf()", [](HostFacts& f) { f.bpf_errno = EPERM; }},
        {"bpf()", [](HostFacts& f) { f.bpf_errno = ENOSYS; }},
    };
    for (const auto& [check, spoil] : kCases) {
        HostFacts facts = good();
        spoil(facts);
        EXPECT_EQ(of(facts, check).health, Health::kFail) << check;
        EXPECT_NE(of(facts, check).fix, "") << check;
        EXPECT_FALSE(can_run(judge(facts))) << check;
    }
}

TEST(Doctor, WarningsLeaveARunPossible) {
    HostFacts facts = good();
    facts.release = "5.18.0";
    facts.bpffs = facts.btf = false;
    facts.unprivileged_bpf = "0";
    for (const char* check : {"kernel", "bpffs", "BTF", "unprivileged bpf"}) {
        EXPECT_EQ(of(facts, check).health, Health::kWarn) << check;
        EXPECT_NE(of(facts, check).fix, "") << check;
    }
    EXPECT_TRUE(can_run(judge(facts)));
}

TEST(Doctor, NothingDependsOnBpfLsmYet) {
    HostFacts facts = good();
    EXPECT_THAT(of(facts, "BPF LSM").text, HasSubstr("this version uses no BPF LSM program"));
    facts.bpf_lsm_errno = EPERM;
    EXPECT_EQ(of(facts, "BPF LSM").health, Health::kOk);
    EXPECT_EQ(of(facts, "BPF LSM").text,
              "not usable (Operation not permitted, though `bpf` is in lsm=); this version uses no "
              "BPF LSM program");
    facts.lsm = "lockdown,notbpf";
    EXPECT_THAT(of(facts, "BPF LSM").text, HasSubstr("boot with `bpf` in lsm= for it"));
}

TEST(Doctor, NamesTheMissingCapabilityAndHybridHosts) {
    HostFacts facts = good();
    facts.capabilities &= ~(std::uint64_t{1} << 38);
    facts.cgroup_v1 = true;
    EXPECT_EQ(of(facts, "privileges").text, "root without CAP_PERFMON");
    EXPECT_THAT(of(facts, "cgroup2").text, HasSubstr("hybrid"));
}

TEST(Doctor, RendersAFixBelowItsCheck) {
    const std::vector<Finding> findings{{"kernel", Health::kOk, "6.1"},
                                        {"bpf()", Health::kFail, "EPERM", "run as root"}};
    EXPECT_EQ(render_doctor(findings, {}),
              "ok    kernel  6.1\n"
              "FAIL  bpf()   EPERM\n"
              "              fix: run as root\n"
              "\n`sluice run` can't work here: see FAIL above\n");
    const auto out = to_json(findings);
    EXPECT_EQ(out["can_run"], false);
    EXPECT_EQ(out["checks"][1]["result"], "fail");
}

// An int, a function of another name, and the one looked for.
std::string btf() {
    const std::string strings("\0int\0other\0wanted\0", 18);
    const std::uint32_t types[] = {
        1,  BTF_KIND_INT << 24,  4, 0x01000020,  // int
        5,  BTF_KIND_FUNC << 24, 1,              // other
        11, BTF_KIND_FUNC << 24, 1,              // wanted
    };
    btf_header header{};
    header.magic = BTF_MAGIC;
    header.version = 1;
    header.hdr_len = sizeof header;
    header.type_len = sizeof types;
    header.str_off = sizeof types;
    header.str_len = static_cast<std::uint32_t>(strings.size());
    std::string out(reinterpret_cast<const char*>(&header), sizeof header);
    out.append(reinterpret_cast<const char*>(types), sizeof types);
    return out + strings;
}

TEST(Btf, FindsAFunctionByItsWholeName) {
    EXPECT_EQ(btf_function(btf(), "wanted"), 3u);
    EXPECT_EQ(btf_function(btf(), "other"), 2u);
    EXPECT_EQ(btf_function(btf(), "want"), 0u);
    EXPECT_EQ(btf_function(btf(), "int"), 0u) << "a type, not a function";
}

TEST(Btf, BytesThatAreNoBtfAreHarmless) {
    const std::string whole = btf();
    for (std::size_t size = 0; size < whole.size() - 1; ++size) {
        EXPECT_EQ(btf_function(whole.substr(0, size), "wanted"), 0u) << size;
    }
}

}  // namespace
}  // namespace sluice::cli
