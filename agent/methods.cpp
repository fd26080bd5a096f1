#include "agent/methods.h"

#include <unistd.h>

#include "agent/create_params.h"
#include "sandbox/warning.h"

namespace sluice::agent {

using control::Call;
using control::Type;
using nlohmann::json;
using sandbox::Record;

namespace {

Error denied(std::string message) {
    return {Errc::kDenied, 0, std::move(message)};
}

Result<const Record*> named(Services& services, const Call& call, const std::string& name) {
    const Record* record = services.manager.find(name);
    if (record == nullptr) {
        return Error{Errc::kNotFound, 0, "there is no sandbox '" + name + "' here"};
    }
    if (!call.peer.may_act_on(record->owner)) {
        return denied("sandbox '" + name + "' belongs to uid " + std::to_string(record->owner) +
                      "; you are uid " + std::to_string(call.peer.uid));
    }
    return record;
}

// `name` may be left out where the caller has one sandbox.
Result<const Record*> chosen(Services& services, const Call& call) {
    if (call.params.contains("name")) return named(services, call, call.params["name"]);
    const Record* only = nullptr;
    for (const auto& [name, record] : services.manager.all()) {
        if (!call.peer.may_act_on(record.owner)) continue;
        if (only != nullptr) return Error::invalid("there is more than one sandbox: give its name");
        only = &record;
    }
    if (only == nullptr) return Error{Errc::kNotFound, 0, "there is no sandbox of yours here"};
    return only;
}

json features(const kernel::Features& found) {
    return {{"bpf_lsm", found.bpf_lsm}, {"gateway", false}, {"apply", false}};
}

json visible(Services& services, const Call& call) {
    return services.manager.list(
        [&](const Record& record) { return call.peer.may_act_on(record.owner); });
}

Result<json> hello(Services& services, Call& call) {
    if (call.params["protocol"] != control::kProtocol) {
        return Error::invalid("this agent speaks protocol " + std::to_string(control::kProtocol) +
                              ", not " + call.params["protocol"].dump());
    }
    const auto& found = services.kernel.features();
    return json{{"protocol", control::kProtocol},
                {"agent", services.identity.version},
                {"features", features(found)},
                {"kernel", found.release}};
}

Result<json> status(Services& services, Call& call) {
    const auto up = std::chrono::steady_clock::now() - services.identity.started;
    const auto& found = services.kernel.features();
    return json{{"agent",
                 {{"version", services.identity.version},
                  {"pid", getpid()},
                  {"embedded", !services.identity.embedded.empty()},
                  {"uptime_s", std::chrono::duration_cast<std::chrono::seconds>(up).count()}}},
                {"kernel", {{"release", found.release}, {"features", features(found)}}},
                {"degraded", sandbox::degraded_json(services.manager.degraded())},
                {"sandboxes", visible(services, call)}};
}

Result<json> create(Services& services, Call& call) {
    if (!call.peer.full) {
        return denied("this agent serves one `sluice run`; only that run creates a sandbox in it");
    }
    SLUICE_ASSIGN(auto request, create_request(call));
    if (request.name != services.identity.embedded) {
        return Error::invalid("this agent is for sandbox '" + services.identity.embedded +
                              "', not '" + request.name + "'");
    }
    auto made = services.manager.create(request);
    if (made) services.changed();
    return made;
}

Result<json> remove(Services& services, Call& call) {
    SLUICE_ASSIGN(const Record* record, named(services, call, call.params["name"]));
    const auto grace = call.params.value("grace_ms", std::uint64_t{2000});
    constexpr std::uint64_t kLongest = 60'000;
    if (grace > kLongest) return Error::invalid("grace_ms is at most " + std::to_string(kLongest));
    const std::string name = record->name;
    auto removed = services.manager.remove(name, std::chrono::milliseconds(grace));
    services.changed();
    if (!removed) return std::move(removed).error();
    return json{{"terminated", removed->terminated}, {"killed", removed->killed}};
}

void add_later(control::Dispatcher& dispatcher) {
    const std::string rerun = "change the policy file and run again";
    dispatcher.add_later("egress.apply", rerun);
    dispatcher.add_later("egress.cut", "end the sandbox with sandbox.remove");
    dispatcher.add_later("egress.request", "ask the human to run `sluice add HOST:PORT`");
    dispatcher.add_later("egress.decide", rerun);
    dispatcher.add_later("events.subscribe", "read the denials with egress.list");
    dispatcher.add_later("metrics", "read the counters with egress.list");
}

}  // namespace

void add_methods(control::Dispatcher& dispatcher, Services& s) {
    dispatcher.add({"hello",
                    {{"protocol", Type::kCount}, {"client", Type::kText, false}},
                    [&s](Call& call) { return hello(s, call); }});
    dispatcher.add({"status", {}, [&s](Call& call) { return status(s, call); }});
    dispatcher.add(
        {"sandbox.create", create_params(), [&s](Call& call) { return create(s, call); }});
    dispatcher.add({"sandbox.list", {}, [&s](Call& call) -> Result<json> {
                        return json{{"sandboxes", visible(s, call)}};
                    }});
    dispatcher.add({"sandbox.remove",
                    {{"name", Type::kText}, {"grace_ms", Type::kCount, false}},
                    [&s](Call& call) { return remove(s, call); }});
    dispatcher.add(
        {"egress.list", {{"name", Type::kText, false}}, [&s](Call& call) -> Result<json> {
             SLUICE_ASSIGN(const Record* record, chosen(s, call));
             return s.manager.egress_list(*record);
         }});
    dispatcher.add({"egress.explain",
                    {{"name", Type::kText, false}, {"target", Type::kText}},
                    [&s](Call& call) -> Result<json> {
                        SLUICE_ASSIGN(const Record* record, chosen(s, call));
                        return s.manager.explain(*record, call.params["target"]);
                    }});
    add_later(dispatcher);
}

}  // namespace sluice::agent
