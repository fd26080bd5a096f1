#include "resolve/resolver.h"

#include <algorithm>
#include <deque>
#include <set>

#include "resolve/answer.h"
#include "resolve/channel.h"
#include "resolve/hosts_file.h"

namespace sluice::resolve {

namespace {

using std::chrono::seconds;

// A hosts entry has no TTL; this is how soon it is worth looking at the file again.
constexpr seconds kHostsTtl{60};
// Questions on the way at a time: more would overflow a server's receive buffer and come back as
// time-outs.
constexpr std::size_t kWindow = 128;

struct Question {
    std::string name;  // whose Resolution entry this fills
    std::string ask;   // the name itself, or where its CNAME chain has come to
    RecordType type = RecordType::kA;
    Chain chain;
};

// How one family of one name ended.
struct Outcome {
    std::string error;  // empty: answered, maybe with "no such record"
};

struct Lookup {
    ResolvedName result;
    seconds ttl = seconds::max();
    Outcome a, aaaa;
};

std::string describe(const Reply& reply, const Options& options) {
    switch (reply.status) {
        case ARES_ENOTFOUND:
            return "no such name (NXDOMAIN)";
        // c-ares 1.18 says only this once every server was tried, whatever they answered.
        case ARES_ECONNREFUSED:
            return "no DNS server has an answer (SERVFAIL, REFUSED or unreachable)";
        case ARES_ETIMEOUT:
            return "no DNS server answered";
        case ARES_ECANCELLED:
            return "no answer within " + std::to_string(options.deadline.count()) + " ms";
        default:
            return ares_strerror(reply.status);
    }
}

// All questions of one call, kWindow of them on the way.
class Asking {
  public:
    Asking(Channel& channel, const Options& options) : channel_(channel), options_(options) {}

    void add(const DnsName& name) {
        lookups_[name.text];
        for (const auto type : {RecordType::kA, RecordType::kAaaa}) {
            waiting_.push_back({name.text, name.text, type, {}});
        }
    }

    void run() {
        const auto deadline = std::chrono::steady_clock::now() + options_.deadline;
        send_more();
        channel_.run(deadline);
    }

    std::map<std::string, Lookup>& lookups() { return lookups_; }

  private:
    // Not recursive, though an answer can come from within query(): that call returns at once, and
    // the loop here goes on.
    void send_more() {
        if (sending_) return;
        sending_ = true;
        while (!waiting_.empty() && on_the_way_ < kWindow) {
            if (expired_) {
                finish(waiting_.front(), {.status = ARES_ECANCELLED, .packet = {}, .server = {}});
                waiting_.pop_front();
                continue;
            }
            auto question = std::move(waiting_.front());
            waiting_.pop_front();
            ++on_the_way_;
            const std::string ask = question.ask;
            const auto type = question.type;
            channel_.query(ask, type, [this, question = std::move(question)](const Reply& reply) {
                --on_the_way_;
                finish(question, reply);
                send_more();
            });
        }
        sending_ = false;
    }

    void finish(const Question& question, const Reply& reply) {
        auto& lookup = lookups_[question.name];
        auto& outcome = question.type == RecordType::kA ? lookup.a : lookup.aaaa;
        if (reply.status == ARES_ENODATA) return;
        if (reply.status == ARES_ECANCELLED) expired_ = true;
        if (reply.status != ARES_SUCCESS) {
            outcome.error = describe(reply, options_);
            return;
        }
        auto answer = parse_answer(reply.packet, question.ask, question.type, question.chain);
        if (!answer) {
            outcome.error = answer.error().message;
        } else if (!answer->ask_next.empty()) {
            waiting_.push_front({question.name, answer->ask_next, question.type,
                                 without(std::move(answer->chain), answer->ask_next)});
        } else {
            take(*answer, reply.server, lookup);
        }
    }

    // The next answer's walk begins at this name and enters it itself.
    static Chain without(Chain chain, const std::string& name) {
        chain.names.erase(name);
        return chain;
    }

    static void take(const Answer& answer, const std::string& server, Lookup& lookup) {
        if (answer.addresses.empty()) return;
        auto& into = lookup.result.addresses;
        into.insert(into.end(), answer.addresses.begin(), answer.addresses.end());
        lookup.ttl = std::min(lookup.ttl, answer.chain.ttl);
        if (lookup.result.answered_by.empty()) lookup.result.answered_by = "dns " + server;
    }

    Channel& channel_;
    const Options& options_;
    std::map<std::string, Lookup> lookups_;
    std::deque<Question> waiting_;
    std::size_t on_the_way_ = 0;
    bool sending_ = false;
    bool expired_ = false;  // the deadline has come: what waits is not asked any more
};

std::string error_text(const Lookup& lookup) {
    const auto& [a, aaaa] = std::pair(lookup.a.error, lookup.aaaa.error);
    if (a.empty() && aaaa.empty()) {
        return lookup.result.addresses.empty() ? "the name exists but has no address" : "";
    }
    if (a == aaaa) return a;
    if (a.empty()) return "AAAA: " + aaaa;
    if (aaaa.empty()) return "A: " + a;
    return "A: " + a + "; AAAA: " + aaaa;
}

ResolvedName finished(Lookup& lookup, Time now) {
    auto& result = lookup.result;
    std::sort(result.addresses.begin(), result.addresses.end());
    result.addresses.erase(std::unique(result.addresses.begin(), result.addresses.end()),
                           result.addresses.end());
    if (lookup.ttl != seconds::max()) result.ttl = lookup.ttl;
    result.error = error_text(lookup);
    result.when = now;
    return std::move(result);
}

ResolvedName from_hosts(std::vector<IpAddress> addresses, const Options& options, Time now) {
    std::sort(addresses.begin(), addresses.end());
    return {.addresses = std::move(addresses),
            .ttl = kHostsTtl,
            .answered_by = options.hosts.string(),
            .error = {},
            .when = now};
}

Status ask_dns(const std::vector<DnsName>& names, const Options& options, Resolution& into) {
    SLUICE_ASSIGN(const auto channel, Channel::open(options));
    Asking asking(*channel, options);
    for (const auto& name : names) asking.add(name);
    asking.run();
    const auto now = std::chrono::system_clock::now();
    for (auto& [name, lookup] : asking.lookups()) into.names[name] = finished(lookup, now);
    return {};
}

}  // namespace

Result<Resolution> resolve(const std::vector<DnsName>& names, const Options& options) {
    Resolution resolution;
    std::set<std::string> wanted;
    for (const auto& name : names) wanted.insert(name.text);
    auto hosts = read_hosts(options.hosts, wanted);
    const auto now = std::chrono::system_clock::now();
    for (auto& [name, addresses] : hosts) {
        resolution.names[name] = from_hosts(std::move(addresses), options, now);
    }
    std::vector<DnsName> unknown;
    for (const auto& name : wanted) {
        if (!resolution.names.contains(name)) unknown.push_back(DnsName{name});
    }
    if (!unknown.empty()) SLUICE_TRY(ask_dns(unknown, options, resolution));
    return resolution;
}

}  // namespace sluice::resolve
