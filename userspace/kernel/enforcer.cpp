#include "kernel/enforcer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kernel/attachment.h"
#include "kernel/features.h"
#include "kernel/object.h"
#include "kernel/probe.h"
#include "kernel/readback.h"
#include "sluice.skel.h"

namespace sluice::kernel {
namespace {

struct RingDeleter {
    void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};

Status switch_storage(int storage_map, CgroupId cgroup, const sluice_sandbox& value) {
    if (bpf_map_update_elem(storage_map, &cgroup.value, &value, BPF_ANY) != 0)
        return Error::from_errno("switch to generation " + std::to_string(value.generation));
    return {};
}

}  // namespace

bool Installed::complete() const {
    return std::all_of(hooks.begin(), hooks.end(), [](const HookState& h) { return h.attached; });
}

struct Enforcer::State {
    explicit State(Object loaded, Options opts, Grace made)
        : object(std::move(loaded)),
          options(std::move(opts)),
          grace(std::move(made)),
          slots({.rules = bpf_map__fd(object->maps.rules_by_slot),
                 .prefixes = bpf_map__fd(object->maps.prefix_by_slot),
                 .ranges = bpf_map__fd(object->maps.ranges_by_slot)},
                options.pool),
          boxes({.hits = bpf_map__fd(object->maps.hits_by_box),
                 .denials = bpf_map__fd(object->maps.denials_by_box)},
                options.pool) {}

    [[nodiscard]] int storage() const { return bpf_map__fd(object->maps.sandbox); }
    [[nodiscard]] int counters() const { return bpf_map__fd(object->maps.counters); }

    Object object;
    Options options;
    Grace grace;
    Features features;
    SlotPool slots;
    BoxPool boxes;
    const std::function<void(const sluice_event&)>* handler = nullptr;
    std::unique_ptr<ring_buffer, RingDeleter> ring;
};

Enforcer::Enforcer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Enforcer::Enforcer(Enforcer&&) noexcept = default;
Enforcer& Enforcer::operator=(Enforcer&&) noexcept = default;
Enforcer::~Enforcer() = default;

Result<Enforcer> Enforcer::load(const Options& options) {
    SLUICE_ASSIGN(auto object, load_object());
    SLUICE_ASSIGN(auto grace, Grace::make());
    auto state = std::make_unique<State>(std::move(object), options, std::move(grace));
    state->features = probe_features();
    const auto deliver = [](void* context, void* data, std::size_t size) {
        auto* self = static_cast<State*>(context);
        if (size >= sizeof(sluice_event) && self->handler)
            (*self->handler)(*static_cast<const sluice_event*>(data));
        return 0;
    };
    state->ring.reset(
        ring_buffer__new(bpf_map__fd(state->object->maps.events), deliver, state.get(), nullptr));
    if (!state->ring) return Error::from_errno("open the event ring buffer");
    SLUICE_TRY(state->slots.maintain(state->grace));
    SLUICE_TRY(state->boxes.maintain(state->grace));
    // Last: a load that fails leaves nothing behind.
    if (mkdir(options.pin_dir.c_str(), 0700) != 0 && errno != EEXIST)
        return Error::from_errno("make pin directory " + options.pin_dir.string());
    return Enforcer(std::move(state));
}

const Features& Enforcer::features() const {
    return state_->features;
}

Result<Attachment> Enforcer::attach(int cgroup_dir, CgroupId id) {
    auto state = std::make_unique<AttachmentState>();
    state->cgroup = id;
    state->cgroup_dir = UniqueFd(fcntl(cgroup_dir, F_DUPFD_CLOEXEC, 3));
    if (!state->cgroup_dir) return Error::from_errno("keep the cgroup's descriptor");
    state->pin_dir = state_->options.pin_dir / std::to_string(id.value);
    SLUICE_ASSIGN(state->box, state_->boxes.take());
    if (auto attached = attach_all(*state_->object, *state); !attached) {
        state_->boxes.retire(std::move(state->box));
        return std::move(attached).error();
    }
    return Attachment(std::move(state));
}

Result<Generation> Enforcer::apply(Attachment& sandbox, const Plan& plan) {
    auto& state = *sandbox.state_;
    SLUICE_TRY(state_->boxes.grow(state.box, plan.max_rule_id));
    SLUICE_ASSIGN(auto slot, state_->slots.fill(plan, state_->grace));
    const Generation next(state.generation.value + 1);
    const sluice_sandbox value{.generation = next.value,
                               .sandbox_id = state.cgroup.value,
                               .min_generation = 0,
                               .slot = slot.index,
                               .box = state.box.index,
                               .flags = plan.flags,
                               .zero = 0};
    if (auto switched = switch_storage(state_->storage(), state.cgroup, value); !switched) {
        state_->slots.retire(std::move(slot));
        return std::move(switched).error();
    }
    if (state.slot) state_->slots.retire(std::move(*state.slot));
    state.slot = std::move(slot);
    state.generation = next;
    return next;
}

Status Enforcer::probe(const Attachment& sandbox, const BornSockets& sockets) {
    SLUICE_ASSIGN(const auto now, installed(sandbox));
    for (const auto& hook : now.hooks) {
        if (!hook.attached)
            return Error{Errc::kLost, 0, "live probe: hook " + hook.name + " is not attached"};
    }
    if (now.generation != sandbox.generation() || now.generation.value == 0) {
        return Error{Errc::kLost, 0,
                     "live probe: the kernel holds generation " +
                         std::to_string(now.generation.value) + ", not " +
                         std::to_string(sandbox.generation().value)};
    }
    return probe_sockets(sockets, [&]() -> Result<std::uint64_t> {
        SLUICE_ASSIGN(const auto read, counters(sandbox));
        return read.by_reason[SLUICE_REASON_PORT_ZERO];
    });
}

Status Enforcer::detach(Attachment sandbox) {
    auto& state = *sandbox.state_;
    auto detached = detach_all(state);
    if (state.slot) state_->slots.retire(std::move(*state.slot));
    state_->boxes.retire(std::move(state.box));
    return detached;
}

Status Enforcer::retire(Attachment sandbox) {
    auto stays = stay_with_sockets(*state_->object, *sandbox.state_);
    // Not detach(): the slot is what the remaining sockets are judged by, so it is not cleared.
    auto detached = detach_all(*sandbox.state_);
    if (!stays) return stays;
    return detached;
}

Status Enforcer::maintain() {
    SLUICE_TRY(state_->slots.maintain(state_->grace));
    return state_->boxes.maintain(state_->grace);
}

Result<Installed> Enforcer::installed(const Attachment& sandbox) {
    const auto& state = *sandbox.state_;
    sluice_sandbox value{};
    if (bpf_map_lookup_elem(state_->storage(), &state.cgroup.value, &value) != 0)
        return Error::from_errno("read the sandbox's storage");
    Installed result{.generation = Generation(value.generation), .flags = value.flags, .hooks = {}};
    SLUICE_ASSIGN(result.hooks, hook_states(*state_->object, state));
    return result;
}

Result<Counters> Enforcer::counters(const Attachment& sandbox) {
    return read_counters(state_->counters(), sandbox.state_->cgroup);
}

Result<std::vector<Denial>> Enforcer::denials(const Attachment& sandbox) {
    return read_denials(sandbox.state_->box);
}

Result<Hits> Enforcer::hits(const Attachment& sandbox, RuleId rule) {
    const auto sum = read_hits(sandbox.state_->box, rule.value);
    Hits hits{.count = sum.count, .last = {}};
    if (sum.last_ns != 0) hits.last = from_monotonic(sum.last_ns);
    return hits;
}

Result<sluice_verdict> Enforcer::ask(const Attachment& sandbox, const sluice_query& query) {
    sluice_ask question{.sandbox = {}, .query = query, .verdict = {}};
    if (bpf_map_lookup_elem(state_->storage(), &sandbox.state_->cgroup.value, &question.sandbox) !=
        0)
        return Error::from_errno("read the sandbox's storage");
    const int map = bpf_map__fd(state_->object->maps.ask);
    const std::uint32_t zero = 0;
    if (bpf_map_update_elem(map, &zero, &question, BPF_ANY) != 0)
        return Error::from_errno("put a question to the kernel");
    std::array<std::uint8_t, 64> frame{};  // test runs want a packet; the program ignores it
    LIBBPF_OPTS(bpf_test_run_opts, options);
    options.data_in = frame.data();
    options.data_size_in = static_cast<__u32>(frame.size());
    options.repeat = 1;
    if (bpf_prog_test_run_opts(bpf_program__fd(state_->object->progs.sluice_ask), &options) != 0)
        return Error::from_errno("put a question to the kernel");
    if (bpf_map_lookup_elem(map, &zero, &question) != 0)
        return Error::from_errno("read the kernel's answer");
    return question.verdict;
}

Result<sluice_verdict> Enforcer::lookup(const Attachment& sandbox, const IpAddress& address,
                                        std::uint16_t port) {
    sluice_query query{};
    std::memcpy(query.addr, address.bytes.data(), sizeof query.addr);
    query.port_be = htons(port);
    query.proto = IPPROTO_TCP;
    query.op = SLUICE_OP_CONNECT;
    query.listener = SLUICE_LISTENER_LOOK_UP;
    return ask(sandbox, query);
}

int Enforcer::events_fd() const {
    return ring_buffer__epoll_fd(state_->ring.get());
}

Status Enforcer::read_events(const std::function<void(const sluice_event&)>& handle) {
    state_->handler = &handle;
    const int read = ring_buffer__consume(state_->ring.get());
    state_->handler = nullptr;
    if (read < 0) return Error::from_errno("read the event ring buffer", -read);
    return {};
}

}  // namespace sluice::kernel
