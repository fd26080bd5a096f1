#include "sandbox/explain.h"

#include <sluice/abi.h>

#include <algorithm>
#include <set>

#include "policy/reason.h"
#include "sandbox/remedy.h"
#include "sandbox/times.h"
#include "sandbox/view.h"

namespace sluice::sandbox {

using nlohmann::json;

namespace {

constexpr std::uint16_t kAnyPort = 443;     // asked where no rule suggests a port
constexpr std::size_t kMaxCandidates = 64;  // ports tried where none was named

struct Answer {
    IpAddress address;
    std::uint16_t port = 0;
    sluice_verdict verdict{};
    Time resolved{};
};

struct Question {
    const Record& record;
    const Target& target;
    std::vector<IpAddress> addresses;
    const ResolvedName* name = nullptr;  // null: a literal, or a name that was never resolved
};

Question question(const Record& record, const Target& target) {
    Question q{record, target, {}, nullptr};
    if (const auto* address = std::get_if<IpAddress>(&target.host)) {
        q.addresses = {canonical_destination(*address)};
        return q;
    }
    const std::string& name = std::get<DnsName>(target.host).text;
    if (name == "localhost") {
        q.addresses = {IpAddress::v4(0x7f000001), *IpAddress::parse("::1")};
        return q;
    }
    const auto found = record.resolution.names.find(name);
    if (found == record.resolution.names.end()) return q;
    q.name = &found->second;
    q.addresses = found->second.addresses;
    return q;
}

bool covers(const Rule& rule, const Question& q) {
    const auto* asked = std::get_if<DnsName>(&q.target.host);
    if (const auto* name = std::get_if<DnsName>(&rule.endpoint.host)) {
        return asked != nullptr && *asked == *name;
    }
    if (const auto* wildcard = std::get_if<Wildcard>(&rule.endpoint.host)) {
        return asked != nullptr && wildcard->covers(*asked);
    }
    const auto& prefix = std::get<IpPrefix>(rule.endpoint.host);
    return std::any_of(q.addresses.begin(), q.addresses.end(),
                       [&](const IpAddress& one) { return prefix.contains(one); });
}

std::vector<std::uint16_t> candidate_ports(const Question& q) {
    if (q.target.port) return {*q.target.port};
    std::set<std::uint16_t> ports;
    for (const Rule& rule : q.record.policy.rules) {
        if (rule.via != Via::kKernel || !covers(rule, q)) continue;
        for (const PortRange& range : rule.endpoint.ports.ranges()) {
            if (ports.size() < kMaxCandidates) ports.insert(range.first);
        }
    }
    if (ports.empty()) ports.insert(kAnyPort);
    return {ports.begin(), ports.end()};
}

// The first allowing port decides an address; else the last refusal does.
Result<Answer> ask(const Question& q, KernelOps& kernel, const IpAddress& address,
                   const std::vector<std::uint16_t>& ports) {
    Answer answer{.address = address};
    answer.resolved = q.name == nullptr ? Time{} : q.name->when;
    for (const std::uint16_t port : ports) {
        SLUICE_ASSIGN(answer.verdict, kernel.lookup(q.record.cell->id(), address, port));
        answer.port = port;
        if (answer.verdict.allow != 0) break;
    }
    return answer;
}

json rule_json(const Record& record, std::uint32_t id) {
    const PlannedRule* rule = id == 0 ? nullptr : record.rule(RuleId(id));
    if (rule == nullptr) return nullptr;
    return {{"id", rule->id.value},
            {"text", rule->text},
            {"layer", layer_of(rule->sources)},
            {"source", source_json(rule->sources)}};
}

json answers_json(const std::vector<Answer>& answers, Time now) {
    json out = json::array();
    for (const Answer& answer : answers) {
        json one{{"ip", answer.address.to_string()},
                 {"verdict", answer.verdict.allow != 0 ? "allow" : "deny"},
                 {"reason", reason_id(answer.verdict.reason)}};
        const bool resolved = answer.resolved != Time{};
        one["age_s"] =
            resolved ? address_json(answer.address, answer.resolved, now)["age_s"] : json();
        out.push_back(std::move(one));
    }
    return out;
}

Result<json> denials_so_far(const Question& q, KernelOps& kernel) {
    SLUICE_ASSIGN(const auto all, kernel.denials(q.record.cell->id()));
    std::uint64_t count = 0;
    Time last{};
    for (const kernel::Denial& one : all) {
        const bool here =
            std::find(q.addresses.begin(), q.addresses.end(), one.address) != q.addresses.end() &&
            (!q.target.port || *q.target.port == one.port);
        const bool asked = !one.name.empty() && one.name == q.target.host_text();
        if (!here && !asked) continue;
        count += one.count;
        last = std::max(last, one.last);
    }
    return json{{"count", count}, {"last", count == 0 ? json() : json(rfc3339(last))}};
}

// A name that has no address here: why, and what would help.
void explain_unresolved(const Question& q, json& out) {
    const Rule* kernel_rule = nullptr;
    const Rule* relayed = nullptr;
    for (const Rule& rule : q.record.policy.rules) {
        if (!covers(rule, q)) continue;
        (rule.via == Via::kKernel ? kernel_rule : relayed) = &rule;
    }
    const std::string host = q.target.host_text();
    if (kernel_rule != nullptr) {
        const std::string why =
            q.name == nullptr || q.name->error.empty() ? "no answer" : q.name->error;
        out["reason"] = "unresolved";
        out["text"] =
            "rule " + kernel_rule->text() + " names it, but it did not resolve (" + why + ")";
        out["remedy"] = "check the name and the host's resolver; a new run resolves it again";
    } else if (relayed != nullptr) {
        out["reason"] = "relayed";
        out["text"] = "rule " + relayed->text() + " is relayed, and this version has no gateway";
        out["remedy"] = "write it under static_tcp, by its full name";
    } else {
        out["text"] = "no rule names it, and DNS for it is refused";
        if (!q.target.port)
            out["text"] = out["text"].get<std::string>() + " (allow 443, or the port you need)";
        out["remedy"] = add_command(q.record.policy_file,
                                    host + ":" + std::to_string(q.target.port.value_or(kAnyPort)));
    }
}

std::string allowed_text(const Question& q, const std::vector<Answer>& answers,
                         const Answer& deciding) {
    std::string text = "allowed";
    if (deciding.verdict.reason == SLUICE_REASON_RULE) {
        const PlannedRule* rule = q.record.rule(RuleId(deciding.verdict.rule_id));
        if (rule != nullptr) text += " by " + rule->text;
    } else {
        text += ": " + std::string(reason_text(deciding.verdict.reason));
    }
    const auto good = std::count_if(answers.begin(), answers.end(),
                                    [](const Answer& one) { return one.verdict.allow != 0; });
    if (static_cast<std::size_t>(good) != answers.size()) {
        text += ", at " + std::to_string(good) + " of its " + std::to_string(answers.size()) +
                " addresses";
    }
    return text;
}

void explain_verdict(const Question& q, const std::vector<Answer>& answers, json& out) {
    auto deciding = std::find_if(answers.begin(), answers.end(),
                                 [](const Answer& one) { return one.verdict.allow != 0; });
    const bool allowed = deciding != answers.end();
    if (!allowed) deciding = answers.begin();
    out["verdict"] = allowed ? "allow" : "deny";
    out["reason"] = reason_id(deciding->verdict.reason);
    out["rule"] = rule_json(q.record, deciding->verdict.rule_id);
    if (allowed) {
        out["text"] = allowed_text(q, answers, *deciding);
        return;
    }
    const bool named = std::holds_alternative<DnsName>(q.target.host);
    const PlannedRule* deny = q.record.rule(RuleId(deciding->verdict.rule_id));
    const Refusal refusal{.reason = deciding->verdict.reason,
                          .proto = 6,
                          .address = deciding->address,
                          .port = q.target.port.value_or(deciding->port),
                          .host = named ? q.target.host_text() : std::string(),
                          .rule = deny == nullptr ? std::string() : deny->text,
                          .policy_file = q.record.policy_file};
    out["text"] = refusal_text(refusal);
    out["remedy"] = refusal_remedy(refusal);
}

}  // namespace

Result<json> explain(const Record& record, KernelOps& kernel, const Target& target,
                     std::string_view asked, Time now) {
    const Question q = question(record, target);
    std::vector<Answer> answers;
    const auto ports = candidate_ports(q);
    for (const IpAddress& address : q.addresses) {
        SLUICE_ASSIGN(Answer one, ask(q, kernel, address, ports));
        answers.push_back(one);
    }
    SLUICE_ASSIGN(json so_far, denials_so_far(q, kernel));
    json out{{"sandbox", record.name},
             {"target", asked},
             {"host", target.host_text()},
             {"port", target.port ? json(*target.port) : json()},
             {"verdict", "deny"},
             {"reason", reason_id(SLUICE_REASON_NO_RULE)},
             {"rule", nullptr},
             {"addresses", answers_json(answers, now)},
             {"denials", std::move(so_far)},
             {"remedy", ""},
             {"generation", state_of(record, kernel).installed.generation.value}};
    if (answers.empty()) {
        explain_unresolved(q, out);
    } else {
        explain_verdict(q, answers, out);
    }
    return out;
}

}  // namespace sluice::sandbox
