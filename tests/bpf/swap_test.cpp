// Policy switches under load: old verdict or new verdict, never a gap, never an open moment.
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cstring>

#include "bpf/fixture.h"

namespace sluice {
namespace {

struct Shared {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> allowed_ok{0}, allowed_wrong{0};
    std::atomic<std::uint64_t> denied_ok{0}, denied_wrong{0};
    std::atomic<int> wrong_answer{0};  // an errno, for the failure's text
};

void hammer(Shared& shared, std::uint16_t allowed, std::uint16_t denied, bool want_allowed) {
    while (!shared.stop.load(std::memory_order_relaxed)) {
        if (want_allowed) {
            const int answer = connect_to("127.0.0.1", allowed);
            (answer == 0 ? shared.allowed_ok : shared.allowed_wrong)++;
            if (answer != 0) shared.wrong_answer = answer;
        } else {
            const bool ok = connect_to("127.0.0.1", denied) == EPERM;
            (ok ? shared.denied_ok : shared.denied_wrong)++;
        }
    }
}

void drain(const Shared& shared, int listener) {
    while (!shared.stop.load(std::memory_order_relaxed)) {
        const UniqueFd accepted(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    }
}

// Both kinds of connect have been made some times; false when that never comes about.
bool wait_for_load(const Shared& shared) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (shared.allowed_ok < 10 || shared.denied_ok < 10) {
        if (std::chrono::steady_clock::now() > limit) return false;
        sched_yield();
    }
    return true;
}

}  // namespace

TEST_F(KernelTest, ThousandSwitchesUnderLoadNeverGiveAWrongVerdict) {
    const Bound allowed = listen_on("127.0.0.1"), denied = listen_on("127.0.0.1");
    const std::string rule = "127.0.0.1:" + std::to_string(allowed.port);
    attach();
    apply({rule});
    auto* shared = new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared;
    std::vector<pid_t> children;
    for (const int role : {0, 1, 2}) {
        const pid_t child = fork();
        if (child == 0) {
            if (role == 2) drain(*shared, allowed.fd.get());
            if (role != 2 && !cgroup_->add(0)) _exit(250);
            if (role != 2) hammer(*shared, allowed.port, denied.port, role == 0);
            _exit(0);
        }
        children.push_back(child);
    }
    const std::vector<std::string> other{rule, "10.0.0.0/8:22", "192.0.2.7:443", "127.0.0.1:1"};
    const bool busy = wait_for_load(*shared);
    EXPECT_TRUE(busy) << "the load never began; last answer: "
                      << std::strerror(shared->wrong_answer);
    for (int i = 0; busy && i < 1000; i++) apply(i % 2 ? std::vector<std::string>{rule} : other);
    shared->stop = true;
    for (const pid_t child : children) {
        if (child == children.back()) kill(child, SIGKILL);  // blocked in accept()
        waitpid(child, nullptr, 0);
    }
    EXPECT_EQ(shared->allowed_wrong, 0u) << std::strerror(shared->wrong_answer);
    EXPECT_EQ(shared->denied_wrong, 0u);
    EXPECT_GT(shared->allowed_ok, 100u);
    EXPECT_GT(shared->denied_ok, 100u);
    RecordProperty("allowed_connects", std::to_string(shared->allowed_ok));
    RecordProperty("denied_connects", std::to_string(shared->denied_ok));
    munmap(shared, sizeof(Shared));
}

}  // namespace sluice
