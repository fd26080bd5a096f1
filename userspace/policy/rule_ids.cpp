#include "policy/plan.h"

namespace sluice {

RuleId RuleIds::id_for(const std::string& key) {
    return ids_.try_emplace(key, RuleId{used() + 1}).first->second;
}

RuleId RuleIds::find(std::string_view key) const {
    const auto found = ids_.find(key);
    return found == ids_.end() ? RuleId{} : found->second;
}

std::string rule_key(std::string_view text, Via via) {
    return std::string(via == Via::kKernel ? "kernel " : "gateway ").append(text);
}

std::string deny_key(std::string_view text) {
    return std::string("deny ").append(text);
}

}  // namespace sluice
