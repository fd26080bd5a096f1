// Manager::create and the way back when a step of it fails.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>

#include "policy/usable.h"
#include "sandbox/compile.h"
#include "sandbox/manager.h"
#include "sandbox/view.h"

namespace sluice::sandbox {

using nlohmann::json;

namespace {

// What exists of a sandbox that is not whole yet. Undoes it unless kept.
class Half {
  public:
    Half(KernelOps& kernel, Cell& cell) : kernel_(kernel), cell_(cell) {}
    Half(const Half&) = delete;
    Half& operator=(const Half&) = delete;
    ~Half() {
        if (kept_) return;
        if (attached_) say("detach", kernel_.detach(cell_.id()));
        say("remove the cgroup", cell_.remove());
    }
    Status attach() {
        SLUICE_TRY(kernel_.attach(cell_.dir(), cell_.id()));
        attached_ = true;
        return {};
    }
    void keep() { kept_ = true; }

  private:
    void say(const char* what, const Status& done) const {
        if (done) return;
        spdlog::warn("undo create of '{}': {}: {}", cell_.path().string(), what,
                     done.error().message);
    }
    KernelOps& kernel_;
    Cell& cell_;
    bool attached_ = false;
    bool kept_ = false;
};

template <class T>
Result<T> in(const char* step, Result<T> done) {
    if (!done) return std::move(done).error().context(step);
    return done;
}

Result<Plan> make_plan(Record& record) {
    auto made = plan(record.policy, record.resolution, record.ids);
    if (!made) return std::move(made).error().context("plan the policy");
    record.rules = std::move(made->rules);
    for (const std::string& note : made->notes) record.warnings.push_back(from_plan_note(note));
    return std::move(*made);
}

// Attach first: from there everything in the cgroup is denied. The child comes last.
Status install(Record& record, const Plan& plan, KernelOps& kernel, Host& host, pid_t child) {
    Half half(kernel, *record.cell);
    SLUICE_TRY(in("attach to the cgroup", half.attach()));
    const CgroupId id = record.cell->id();
    SLUICE_ASSIGN(record.generation, in("install the rules", kernel.apply(id, plan)));
    SLUICE_ASSIGN(const auto sockets, in("make the probe's sockets", record.cell->born_sockets()));
    SLUICE_TRY(in("live probe", kernel.probe(id, sockets)));
    record.probe = {.when = host.now(), .error = {}};
    SLUICE_TRY(in("move the process into the cgroup", record.cell->add(child)));
    half.keep();
    return {};
}

json hosts_json(const Record& record) {
    std::map<IpAddress, json> by_address;
    for (const DnsName& name : record.policy.kernel_names()) {
        // Only what the plan grants: a hosts entry that is refused would contradict the policy.
        const auto usable = usable_addresses(record.policy, record.resolution, name);
        for (const IpAddress& address : usable.addresses) by_address[address].push_back(name.text);
    }
    json out = json::array();
    for (const auto& [address, names] : by_address) {
        out.push_back({{"address", address.to_string()}, {"names", names}});
    }
    return out;
}

json answer(const Record& record) {
    const auto grants = std::count_if(record.rules.begin(), record.rules.end(),
                                      [](const PlannedRule& one) { return !one.deny; });
    return {{"name", record.name},
            {"cgroup", record.cell->path().string()},
            {"generation", record.generation.value},
            {"mode", record.policy.mode == Mode::kOpen ? "open" : "managed"},
            {"hosts", hosts_json(record)},
            {"env", json::object()},
            {"warnings", to_json(record.warnings)},
            {"rules", grants}};
}

}  // namespace

Result<json> Manager::create(const CreateRequest& request) {
    SLUICE_TRY(check_name(request.name));
    if (find(request.name) != nullptr) {
        return Error::invalid("sandbox '" + request.name +
                              "' exists; end it first, or take another "
                              "name");
    }
    SLUICE_TRY(host_.check_child(request.pid, request.pidfd, request.parent));

    Record record{.name = request.name, .owner = request.owner, .detach = request.detach};
    record.created = host_.now();
    SLUICE_ASSIGN(Compiled compiled,
                  compile(settings_, request, host_.user_name(request.owner), record.created));
    SLUICE_TRY(check_required(compiled.required));
    record.policy = std::move(compiled.policy);
    if (request.project) record.policy_file = request.project->path;
    record.warnings = std::move(compiled.warnings);

    SLUICE_ASSIGN(record.resolution,
                  in("resolve the policy's names", resolve_(record.policy.kernel_names())));
    for (Warning& warning : unresolved(record.policy, record.resolution)) {
        record.warnings.push_back(std::move(warning));
    }
    SLUICE_ASSIGN(const Plan plan, make_plan(record));
    for (const std::string& missing : degraded()) {
        record.warnings.push_back(sandbox::degraded(missing));
    }

    SLUICE_ASSIGN(record.cell, host_.make_cell(settings_.cgroup_root / request.name));
    SLUICE_TRY(install(record, plan, kernel_, host_, request.pid));
    json reply = answer(record);
    records_.emplace(request.name, std::move(record));
    return reply;
}

}  // namespace sluice::sandbox
