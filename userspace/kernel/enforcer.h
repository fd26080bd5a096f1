// The kernel side as the rest of the agent sees it: load once, attach to sandboxes' cgroups, switch
// generations, read back what is installed. The only user of libbpf.
#pragma once

#include <sluice/abi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "base/unique_fd.h"
#include "policy/plan.h"

namespace sluice::kernel {

// What this kernel can do, found by trying it.
struct Features {
    std::string release;   // uname -r
    bool bpf_lsm = false;  // an lsm_cgroup program loads; none is used yet
};

struct HookState {
    std::string name;       // "connect4", ...
    bool attached = false;  // the kernel lists our program on this cgroup
    bool pinned = false;
};

// What the kernel holds for one sandbox right now.
struct Installed {
    Generation generation;
    std::uint32_t flags = 0;  // SLUICE_FLAG_*
    std::vector<HookState> hooks;
    [[nodiscard]] bool complete() const;  // every hook attached
};

struct Denial {
    IpAddress address;
    std::uint16_t port = 0;
    std::uint8_t proto = 0;   // IPPROTO_*
    std::uint8_t reason = 0;  // SLUICE_REASON_*
    std::uint8_t hook = 0;    // SLUICE_HOOK_*
    std::uint64_t count = 0;
    std::chrono::system_clock::time_point first, last;
    std::uint32_t pid = 0;  // of the last attempt; 0: the kernel on the socket's behalf
    std::uint32_t uid = 0;
    RuleId rule;
    std::string comm;  // bytes chosen by the sandbox
    std::string name;  // DNS name asked, sanitised by the kernel side; else empty
};

struct Counters {
    std::array<std::uint64_t, SLUICE_REASON_COUNT> by_reason{};
    std::uint64_t events_limited = 0, events_lost = 0, denials_lost = 0;
};

struct Hits {
    std::uint64_t count = 0;
    std::optional<std::chrono::system_clock::time_point> last;
};

// Sockets whose birth cgroup is the sandbox's; the probe connects them from outside.
struct BornSockets {
    UniqueFd tcp4, udp4;
    UniqueFd tcp6;  // empty where the host has no IPv6
};

class Enforcer;
struct AttachmentState;

// One sandbox's attachment. Dropping it does not detach: the pins keep enforcing. See detach().
class Attachment {
  public:
    Attachment(Attachment&&) noexcept;
    Attachment& operator=(Attachment&&) noexcept;
    ~Attachment();

    [[nodiscard]] CgroupId cgroup() const;
    [[nodiscard]] Generation generation() const;  // of the last apply(); 0 before

  private:
    friend class Enforcer;
    explicit Attachment(std::unique_ptr<AttachmentState> state);
    std::unique_ptr<AttachmentState> state_;
};

class Enforcer {
  public:
    struct Options {
        std::filesystem::path pin_dir;  // on a bpffs; made (0700) when absent, must be empty
        unsigned pool = 4;              // slots and boxes held ready
    };
    // Loads every program. kUnsupported with the missing piece when the kernel can't.
    static Result<Enforcer> load(const Options& options);
    Enforcer(Enforcer&&) noexcept;
    Enforcer& operator=(Enforcer&&) noexcept;
    ~Enforcer();

    [[nodiscard]] const Features& features() const;

    // Attaches and pins every hook, or none. From here the cgroup is denied everything, until the
    // first apply(). `cgroup_dir` is borrowed.
    Result<Attachment> attach(int cgroup_dir, CgroupId id);

    // Builds the plan in a fresh slot and switches to it with one write; on error the old
    // generation stays in force. Returns the new generation.
    Result<Generation> apply(Attachment& sandbox, const Plan& plan);

    // Proves that enforcement works now: every hook is present, a connect and a datagram that must
    // be refused are, and were counted by this sandbox's own counters; the storage reads back.
    // kLost, naming what failed, otherwise.
    Status probe(const Attachment& sandbox, const BornSockets& sockets);

    // Frees what earlier generations and sandboxes held, and refills the pool. Takes some 10 ms for
    // each (RCU waits): call it when an answer is out, not before.
    Status maintain();

    // For a cgroup that is removed next: unpins, but its programs and rules stay with the sockets
    // that were born in it and may live on elsewhere (passed to another process, or sending their
    // last bytes). Keeps the slot and box for the life of this Enforcer.
    Status retire(Attachment sandbox);

    // Ends enforcement: unpins, detaches, frees the slot and box. The cgroup should be empty.
    Status detach(Attachment sandbox);

    Result<Installed> installed(const Attachment& sandbox);
    Result<Counters> counters(const Attachment& sandbox);
    Result<std::vector<Denial>> denials(const Attachment& sandbox);  // newest first
    Result<Hits> hits(const Attachment& sandbox, RuleId rule);
    // Puts one question to the kernel's own decide() over the installed tables (a program test
    // run).
    Result<sluice_verdict> ask(const Attachment& sandbox, const sluice_query& query);
    // The same for a TCP connect. On loopback the kernel is asked who listens there now, in the
    // caller's network namespace.
    Result<sluice_verdict> lookup(const Attachment& sandbox, const IpAddress& address,
                                  std::uint16_t port);

    // Readable when events wait; owned by the Enforcer.
    [[nodiscard]] int events_fd() const;
    Status read_events(const std::function<void(const sluice_event&)>& handle);

  private:
    struct State;
    explicit Enforcer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace sluice::kernel
