#include "kernel/boxes.h"

#include <sluice/abi.h>

#include <algorithm>
#include <bit>

#include "kernel/inner_map.h"

namespace sluice::kernel {
namespace {

constexpr std::uint32_t kFirstCapacity = 128;

Result<UniqueFd> make_hits(std::uint32_t capacity) {
    return make_inner_map({.name = "sluice_hits",
                           .type = BPF_MAP_TYPE_ARRAY,
                           .key_size = sizeof(std::uint32_t),
                           .value_size = sizeof(sluice_hits),
                           .max_entries = capacity,
                           .flags = BPF_F_INNER_MAP});
}

Box::Base read_table(const UniqueFd& hits, std::uint32_t rule_id) {
    sluice_hits value{};
    if (bpf_map_lookup_elem(hits.get(), &rule_id, &value) != 0) return {};
    return {value.count, value.last_ns};
}

}  // namespace

Box::Base read_hits(const Box& box, std::uint32_t rule_id) {
    Box::Base sum = read_table(box.hits, rule_id);
    if (rule_id < box.base.size()) {
        sum.count += box.base[rule_id].count;
        sum.last_ns = std::max(sum.last_ns, box.base[rule_id].last_ns);
    }
    return sum;
}

Result<Box> BoxPool::take() {
    if (!ready_.empty()) {
        Box box = std::move(ready_.back());
        ready_.pop_back();
        return box;
    }
    SLUICE_ASSIGN(const auto index, free_index());
    return make(index);
}

Result<std::uint32_t> BoxPool::free_index() {
    if (!free_.empty()) {
        const auto index = free_.back();
        free_.pop_back();
        return index;
    }
    if (next_ == SLUICE_MAX_BOXES) {
        return Error::failed("all " + std::to_string(SLUICE_MAX_BOXES) +
                             " sandbox places are in use; remove a sandbox first");
    }
    return next_++;
}

Result<Box> BoxPool::make(std::uint32_t index) {
    Box box;
    box.index = index;
    box.hits_capacity = kFirstCapacity;
    SLUICE_ASSIGN(box.hits, make_hits(kFirstCapacity));
    SLUICE_ASSIGN(box.denials, make_inner_map({.name = "sluice_denials",
                                               .type = BPF_MAP_TYPE_LRU_HASH,
                                               .key_size = sizeof(sluice_denial_key),
                                               .value_size = sizeof(sluice_denial),
                                               .max_entries = SLUICE_MAX_DENIALS}));
    SLUICE_TRY(place_inner_map(maps_.hits, index, box.hits, "a hit table"));
    SLUICE_TRY(place_inner_map(maps_.denials, index, box.denials, "a denial table"));
    return box;
}

Status BoxPool::grow(Box& box, std::uint32_t max_rule_id) {
    if (max_rule_id < box.hits_capacity) return {};
    const std::uint32_t capacity = std::bit_ceil(max_rule_id + 1);
    SLUICE_ASSIGN(auto hits, make_hits(capacity));
    SLUICE_TRY(place_inner_map(maps_.hits, box.index, hits, "a hit table"));
    // The wait is over: nobody counts in the old table any more, so its sums are final.
    std::vector<Box::Base> base(box.hits_capacity);
    for (std::uint32_t id = 0; id < box.hits_capacity; id++) base[id] = read_hits(box, id);
    box.base = std::move(base);
    box.hits = std::move(hits);
    box.hits_capacity = capacity;
    return {};
}

void BoxPool::retire(Box box) {
    retired_.push_back(std::move(box));
}

Status BoxPool::maintain(const Grace& grace) {
    if (!retired_.empty()) SLUICE_TRY(grace.wait());
    for (; !retired_.empty(); retired_.pop_back()) {
        SLUICE_TRY(clear_inner_map(maps_.hits, retired_.back().index));
        SLUICE_TRY(clear_inner_map(maps_.denials, retired_.back().index));
        free_.push_back(retired_.back().index);
    }
    while (ready_.size() < wanted_) {
        SLUICE_ASSIGN(const auto index, free_index());
        SLUICE_ASSIGN(auto box, make(index));
        ready_.push_back(std::move(box));
    }
    return {};
}

}  // namespace sluice::kernel
