#include <netinet/in.h>
#include <sluice/abi.h>

#include <map>

#include "policy/reason.h"
#include "policy/usable.h"
#include "sandbox/remedy.h"
#include "sandbox/times.h"
#include "sandbox/view.h"

namespace sluice::sandbox {

using nlohmann::json;

namespace {

// The policy's names, and each address that they grant with the first of its names: a rule for the
// name would not open an address that was left out.
struct Names {
    std::map<std::string, Named, std::less<>> known;
    std::map<IpAddress, std::string> by_address;

    explicit Names(const Record& record) {
        for (const DnsName& name : record.policy.kernel_names()) {
            const auto usable = usable_addresses(record.policy, record.resolution, name);
            known[name.text] = usable.addresses.empty() ? Named::kUnresolved : Named::kYes;
            for (const IpAddress& address : usable.addresses)
                by_address.emplace(address, name.text);
        }
    }
    [[nodiscard]] Named named(const std::string& name) const {
        const auto found = known.find(name);
        return found == known.end() ? Named::kNo : found->second;
    }
};

std::string deny_entry(const Record& record, RuleId id) {
    const PlannedRule* rule = record.rule(id);
    if (rule == nullptr || !rule->deny) return {};
    std::string text = rule->text;
    if (!rule->note.empty()) text += ", " + rule->note;
    if (!rule->sources.empty()) text += ", " + rule->sources.front().to_string();
    return text;
}

json one_json(const kernel::Denial& denial, const Refusal& refusal) {
    const bool addressed = denial.address != IpAddress{};
    return {{"reason", reason_id(denial.reason)},
            {"text", refusal_text(refusal)},
            {"dst", addressed ? json(denial.address.to_string()) : json("")},
            {"host", refusal.host},
            {"port", denial.port},
            {"proto", proto_name(denial.proto)},
            {"pid", denial.pid},
            {"comm", denial.comm},
            {"uid", denial.uid},
            {"count", denial.count},
            {"first", rfc3339(denial.first)},
            {"last", rfc3339(denial.last)},
            {"rule", refusal.rule.empty() ? json() : json(refusal.rule)},
            {"remedy", refusal_remedy(refusal)}};
}

}  // namespace

Result<json> denials(const Record& record, KernelOps& kernel) {
    SLUICE_ASSIGN(const auto found, kernel.denials(record.cell->id()));
    const Names names(record);
    json out = json::array();
    for (const kernel::Denial& denial : found) {
        if (denial.reason == SLUICE_REASON_PORT_ZERO) continue;  // the live probe's own
        Refusal refusal{.reason = denial.reason,
                        .proto = denial.proto,
                        .address = denial.address,
                        .port = denial.port,
                        .host = denial.name,
                        .rule = deny_entry(record, denial.rule),
                        .named = names.named(denial.name),
                        .policy_file = record.policy_file};
        if (refusal.host.empty()) {
            const auto name = names.by_address.find(denial.address);
            if (name != names.by_address.end()) refusal.host = name->second;
        }
        out.push_back(one_json(denial, refusal));
    }
    return out;
}

}  // namespace sluice::sandbox
