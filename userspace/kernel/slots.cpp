#include "kernel/slots.h"

#include <sluice/abi.h>

#include <algorithm>

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

Result<Slot> SlotPool::fill(const Plan& plan, const Grace& grace) {
    if (retired_.size() > kMaxRetired) SLUICE_TRY(maintain(grace));
    const bool small = fits_ready(plan);
    if (small && ready_.empty()) SLUICE_TRY(maintain(grace));
    std::vector<Slot> taken;
    if (small) {
        taken.push_back(std::move(ready_.back()));
        ready_.pop_back();
    } else {
        SLUICE_ASSIGN(auto made,
                      make(at_least_one(plan.exact.size()), at_least_one(plan.prefixes.size()),
                           at_least_one(plan.ranges.size())));
        taken.push_back(std::move(made));
    }
    auto filled = fill_slot(taken[0], plan);
    // A big table is placed after it is filled: nothing waits for it until then.
    if (filled && !small) filled = place(taken);
    if (filled) return std::move(taken[0]);
    retire(std::move(taken[0]));
    return std::move(filled).error();
}

void SlotPool::retire(Slot slot) {
    retired_.push_back(std::move(slot));
}

Status SlotPool::maintain(const Grace& grace) {
    if (!retired_.empty()) SLUICE_TRY(grace.wait());
    std::vector<std::uint32_t> done;
    for (const auto& slot : retired_) done.push_back(slot.index);
    // Indexes that get a fresh slot right away need no clearing: placing it drops the old maps.
    const std::size_t reused = std::min<std::size_t>(done.size(), wanted_ - ready_.size());
    std::vector<std::uint32_t> spare(done.begin() + static_cast<std::ptrdiff_t>(reused),
                                     done.end());
    SLUICE_TRY(clear(spare));
    free_.insert(free_.end(), spare.begin(), spare.end());
    free_.insert(free_.end(), done.begin(), done.begin() + static_cast<std::ptrdiff_t>(reused));
    retired_.clear();
    return refill();
}

Status SlotPool::refill() {
    std::vector<Slot> fresh;
    while (ready_.size() + fresh.size() < wanted_) {
        SLUICE_ASSIGN(auto slot, make(kReadyEntries, kReadyEntries, kReadyEntries));
        fresh.push_back(std::move(slot));
    }
    SLUICE_TRY(place(fresh));
    for (auto& slot : fresh) ready_.push_back(std::move(slot));
    return {};
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

Status SlotPool::place(const std::vector<Slot>& slots) {
    if (slots.empty()) return {};
    std::vector<std::uint32_t> indexes;
    std::vector<int> rules, prefixes, ranges;
    for (const auto& slot : slots) {
        indexes.push_back(slot.index);
        rules.push_back(slot.rules.get());
        prefixes.push_back(slot.prefixes.get());
        ranges.push_back(slot.ranges.get());
    }
    SLUICE_TRY(place_inner_maps(maps_.rules, indexes, rules, "the rule tables"));
    SLUICE_TRY(place_inner_maps(maps_.prefixes, indexes, prefixes, "the prefix tables"));
    return place_inner_maps(maps_.ranges, indexes, ranges, "the port range tables");
}

Status SlotPool::clear(const std::vector<std::uint32_t>& indexes) {
    SLUICE_TRY(clear_inner_maps(maps_.rules, indexes));
    SLUICE_TRY(clear_inner_maps(maps_.prefixes, indexes));
    return clear_inner_maps(maps_.ranges, indexes);
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
