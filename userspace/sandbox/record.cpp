#include "sandbox/record.h"

#include <algorithm>

namespace sluice::sandbox {

const PlannedRule* Record::rule(RuleId id) const {
    const auto found =
        std::lower_bound(rules.begin(), rules.end(), id,
                         [](const PlannedRule& one, RuleId wanted) { return one.id < wanted; });
    return found == rules.end() || found->id != id ? nullptr : &*found;
}

}  // namespace sluice::sandbox
