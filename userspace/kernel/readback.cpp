#include "kernel/readback.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <netinet/in.h>
#include <sluice/abi.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <set>
#include <string>

namespace sluice::kernel {
namespace {

std::string bounded(const char* text, std::size_t size) {
    return {text, strnlen(text, size)};
}

Denial to_denial(const sluice_denial_key& key, const sluice_denial& value) {
    Denial denial;
    denial.address = IpAddress::from_v6_bytes(key.addr);
    denial.port = ntohs(key.port_be);
    denial.proto = key.proto;
    denial.reason = key.reason;
    denial.hook = static_cast<std::uint8_t>(value.hook);
    denial.count = value.count;
    denial.first = from_monotonic(value.first_ns);
    denial.last = from_monotonic(value.last_ns);
    denial.pid = value.pid;
    denial.uid = value.uid;
    denial.rule = RuleId(value.rule_id);
    denial.comm = bounded(value.comm, sizeof value.comm);
    denial.name = bounded(value.name, sizeof value.name);
    return denial;
}

}  // namespace

std::chrono::system_clock::time_point from_monotonic(std::uint64_t ns) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto age = std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec) -
                     std::chrono::nanoseconds(ns);
    return std::chrono::system_clock::now() -
           std::chrono::duration_cast<std::chrono::system_clock::duration>(age);
}

Result<Counters> read_counters(int counters_map, CgroupId cgroup) {
    std::vector<sluice_counters> per_cpu(static_cast<std::size_t>(libbpf_num_possible_cpus()));
    if (bpf_map_lookup_elem(counters_map, &cgroup.value, per_cpu.data()) != 0)
        return Error::from_errno("read the sandbox's counters");
    Counters sum;
    for (const auto& cpu : per_cpu) {
        for (std::size_t i = 0; i < SLUICE_REASON_COUNT; i++) sum.by_reason[i] += cpu.by_reason[i];
        sum.events_limited += cpu.events_limited;
        sum.events_lost += cpu.events_lost;
        sum.denials_lost += cpu.denials_lost;
    }
    return sum;
}

Result<std::vector<Denial>> read_denials(const Box& box) {
    std::vector<Denial> denials;
    sluice_denial_key key{}, next{};
    const sluice_denial_key* from = nullptr;
    std::set<std::string> seen;  // the walk starts over when the key it stands on is evicted
    // Entries move while we read; the bound keeps a busy table from holding us here.
    for (unsigned i = 0; i < 2 * SLUICE_MAX_DENIALS; i++) {
        if (bpf_map_get_next_key(box.denials.get(), from, &next) != 0) break;
        sluice_denial value{};
        const bool once = seen.emplace(reinterpret_cast<const char*>(&next), sizeof next).second;
        if (once && bpf_map_lookup_elem(box.denials.get(), &next, &value) == 0)
            denials.push_back(to_denial(next, value));
        key = next;
        from = &key;
    }
    std::sort(denials.begin(), denials.end(),
              [](const Denial& a, const Denial& b) { return a.last > b.last; });
    return denials;
}

}  // namespace sluice::kernel
