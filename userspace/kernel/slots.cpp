#include "kernel/slots.h"

#include <sluice/abi.h>

#include <algorithm>
#include <span>

#include "kernel/inner_map.h"

namespace sluice::kernel {
namespace {

// What a slot of the pool can hold. The builtin denies alone need some 20 prefixes.
constexpr std::uint32_t kReadyEntries = 256;
// Retired slots that may wait for maintain() before fill() does the work itself.
constexpr std::size_t kMaxRetired = 8;

bool fits_ready(const Plan& plan) {
    return plan.exact.size() <= kReadyEntries && plan.prefixes.size() <= kReadyEntries &&
           plan.ranges.size() <= kReadyEntries;
}

std::uint32_t at_least_one(std::size_t count) {
    return static_cast<std::uint32_t>(std::max<std::size_t>(count, 1));
}

template <class Key, class Value>
Status fill_pairs(int map, const std::vector<std::pair<Key, Value>>& entries, const char* what) {
    std::vector<Key> keys;
    std::vector<Value> values;
    keys.reserve(entries.size());
    values.reserve(entries.size());
    for (const auto& [key, value] : entries) {
        keys.push_back(key);
        values.push_back(value);
    }
    return fill_map(map, keys.data(), values.data(), keys.size(), what);
}

Status fill_slot(const Slot& slot, const Plan& plan) {
    SLUICE_TRY(fill_pairs(slot.rules.get(), plan.exact, "the rule table"));
    SLUICE_TRY(fill_pairs(slot.prefixes.get(), plan.prefixes, "the prefix table"));
    std::vector<std::uint32_t> indexes(plan.ranges.size());
    for (std::uint32_t i = 0; i < indexes.size(); i++) indexes[i] = i;
    return fill_map(slot.ranges.get(), indexes.data(), plan.ranges.data(), indexes.size(),
                    "the port range table");
}

}  // namespace

Result<Slot> SlotPool::fill(const Plan& plan) {
    if (retired_.size() > kMaxRetired) SLUICE_TRY(maintain());
    if (fits_ready(plan) && !ready_.empty()) {
        SLUICE_ASSIGN(auto slot, take_ready());
        auto filled = fill_slot(slot, plan);
        if (filled) return slot;
        retire(std::move(slot));
        return std::move(filled).error();
    }
    SLUICE_ASSIGN(auto slot,
                  make(at_least_one(plan.exact.size()), at_least_one(plan.prefixes.size()),
                       at_least_one(plan.ranges.size())));
    auto filled = fill_slot(slot, plan);  // before it is placed: big tables fill while out of sight
    if (filled) filled = place(slot);
    if (filled) return slot;
    retire(std::move(slot));
    return std::move(filled).error();
}

void SlotPool::retire(Slot slot) {
    retired_.push_back(std::move(slot));
}

Status SlotPool::maintain() {
    while (!retired_.empty()) {
        SLUICE_TRY(clear(retired_.back().index));
        free_.push_back(retired_.back().index);
        retired_.pop_back();
    }
    while (ready_.size() < wanted_) {
        SLUICE_ASSIGN(auto slot, make(kReadyEntries, kReadyEntries, kReadyEntries));
        SLUICE_TRY(place(slot));
        ready_.push_back(std::move(slot));
    }
    return {};
}

Result<Slot> SlotPool::take_ready() {
    Slot slot = std::move(ready_.back());
    ready_.pop_back();
    return slot;
}

Result<Slot> SlotPool::make(std::uint32_t rules, std::uint32_t prefixes, std::uint32_t ranges) {
    Slot slot;
    SLUICE_ASSIGN(slot.rules, make_inner_map({.name = "sluice_rules",
                                              .type = BPF_MAP_TYPE_HASH,
                                              .key_size = sizeof(sluice_rule_key),
                                              .value_size = sizeof(sluice_rule_value),
                                              .max_entries = rules,
                                              .flags = BPF_F_NO_PREALLOC}));
    SLUICE_ASSIGN(slot.prefixes, make_inner_map({.name = "sluice_prefixes",
                                                 .type = BPF_MAP_TYPE_LPM_TRIE,
                                                 .key_size = sizeof(sluice_prefix_key),
                                                 .value_size = sizeof(sluice_prefix_value),
                                                 .max_entries = prefixes,
                                                 .flags = BPF_F_NO_PREALLOC}));
    SLUICE_ASSIGN(slot.ranges, make_inner_map({.name = "sluice_ranges",
                                               .type = BPF_MAP_TYPE_ARRAY,
                                               .key_size = sizeof(std::uint32_t),
                                               .value_size = sizeof(sluice_port_range),
                                               .max_entries = ranges,
                                               .flags = BPF_F_INNER_MAP}));
    SLUICE_ASSIGN(slot.index, free_index());
    return slot;
}

Status SlotPool::place(const Slot& slot) {
    SLUICE_TRY(place_inner_map(maps_.rules, slot.index, slot.rules, "a rule table"));
    SLUICE_TRY(place_inner_map(maps_.prefixes, slot.index, slot.prefixes, "a prefix table"));
    return place_inner_map(maps_.ranges, slot.index, slot.ranges, "a port range table");
}

Status SlotPool::clear(std::uint32_t index) {
    SLUICE_TRY(clear_inner_map(maps_.rules, index));
    SLUICE_TRY(clear_inner_map(maps_.prefixes, index));
    return clear_inner_map(maps_.ranges, index);
}

Result<std::uint32_t> SlotPool::free_index() {
    if (!free_.empty()) {
        const auto index = free_.back();
        free_.pop_back();
        return index;
    }
    if (next_ == SLUICE_MAX_SLOTS) {
        return Error::failed("all " + std::to_string(SLUICE_MAX_SLOTS) +
                             " rule slots are in use; remove a sandbox first");
    }
    return next_++;
}

}  // namespace sluice::kernel
