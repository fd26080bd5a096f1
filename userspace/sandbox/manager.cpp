#include "sandbox/manager.h"

#include <algorithm>

#include "sandbox/explain.h"
#include "sandbox/target.h"
#include "sandbox/view.h"

namespace sluice::sandbox {

using nlohmann::json;

Status check_name(std::string_view name) {
    auto first = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    auto rest = [&](char c) { return first(c) || c == '.' || c == '_' || c == '-'; };
    constexpr std::size_t kLongest = 63;
    if (!name.empty() && name.size() <= kLongest && first(name.front()) &&
        std::all_of(name.begin(), name.end(), rest)) {
        return {};
    }
    return Error::invalid("'" + std::string(name) +
                          "' is no sandbox name: 1 to 63 of a-z, 0-9, '.', '_', '-', the first a "
                          "letter or digit");
}

const Record* Manager::find(const std::string& name) const {
    const auto found = records_.find(name);
    return found == records_.end() ? nullptr : &found->second;
}

json Manager::list(const std::function<bool(const Record&)>& visible) {
    json out = json::array();
    for (const auto& [name, record] : records_) {
        if (visible(record)) out.push_back(summary(record, kernel_));
    }
    return out;
}

Result<json> Manager::egress_list(const Record& record) {
    auto made = listing(record, kernel_, host_.now());
    if (made) (*made)["installed"]["degraded"] = degraded_json(degraded());
    return made;
}

Result<json> Manager::explain(const Record& record, const std::string& target) {
    SLUICE_ASSIGN(const Target parsed, Target::parse(target));
    return sandbox::explain(record, kernel_, parsed, target, host_.now());
}

std::vector<std::string> Manager::degraded() const {
    std::vector<std::string> all{std::string("lsm: ") + kNoLsm};
    all.insert(all.end(), settings_.degraded.begin(), settings_.degraded.end());
    return all;
}

}  // namespace sluice::sandbox
