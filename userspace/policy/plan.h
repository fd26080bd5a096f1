// plan(): from a policy and its resolution to the exact entries of the kernel's tables. Pure.
#pragma once

#include <sluice/abi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "policy/policy.h"
#include "policy/resolution.h"

namespace sluice {

// A rule or deny entry as the kernel's rule_id names it. The table of a generation is what turns
// an id back into a sentence.
struct PlannedRule {
    RuleId id;
    std::string text;  // Rule::text() or DenyEntry::text()
    Via via = Via::kKernel;
    bool deny = false;
    std::vector<Source> sources;
    std::string note;
};

// Gives the same rule the same id in every generation of a sandbox, so that its counters go on.
// Ids are 1, 2, 3 ... in order of first use and are not reused.
class RuleIds {
  public:
    RuleId id_for(const std::string& key);
    void reserve(std::size_t rules) { ids_.reserve(std::max(rules, ids_.size())); }
    [[nodiscard]] RuleId find(std::string_view key) const;  // RuleId{0}: never seen
    [[nodiscard]] std::uint32_t used() const { return static_cast<std::uint32_t>(ids_.size()); }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view key) const {
            return std::hash<std::string_view>{}(key);
        }
    };
    std::unordered_map<std::string, RuleId, Hash, std::equal_to<>> ids_;
};

// The keys plan() uses: the text (Rule::text(), DenyEntry::text()), the path, and that it denies.
std::string rule_key(std::string_view text, Via via);
std::string deny_key(std::string_view text);

// The entries of one slot. Sorted by key; the same input always gives the same plan.
struct Plan {
    std::vector<std::pair<sluice_rule_key, sluice_rule_value>> exact;
    std::vector<std::pair<sluice_prefix_key, sluice_prefix_value>> prefixes;
    std::vector<sluice_port_range> ranges;
    std::vector<PlannedRule> rules;  // by id; those via the gateway too, which have no entries
    // "CODE: sentence", CODE one of never_matches, private_address, many_addresses, wildcard.
    std::vector<std::string> notes;
    std::uint32_t flags = 0;        // SLUICE_FLAG_*
    std::uint32_t max_rule_id = 0;  // size the hit table by this
};

// The documented limit: exact-table entries a sandbox may have (address markers included). At
// least 200,000 rules fit.
inline constexpr std::uint32_t kMaxEntries = SLUICE_MAX_ENTRIES;
// Port ranges of all prefixes together, identical lists counted once.
inline constexpr std::uint32_t kMaxRanges = 1U << 20;

// Errors (kInvalid) when a limit is exceeded, saying which and by how much; nothing else fails.
// Which rule an allowed flow is attributed to, where several grant it: one that names this very
// address and single port first, else any; lowest id among those.
Result<Plan> plan(const Policy& policy, const Resolution& resolution, RuleIds& ids);

}  // namespace sluice
