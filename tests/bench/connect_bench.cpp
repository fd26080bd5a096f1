// What a connect costs inside a sandbox, against the same with no program anywhere.
//
// One thread connects to its own loopback listener, accepts and closes both ends; the listener was
// made outside, so it counts as a host service and a rule decides. Rounds are interleaved: each one
// measures without programs, then loads them and measures every policy, then unloads.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/host.h"
#include "bench/rounds.h"

namespace sluice::bench {
namespace {

struct Server {
    UniqueFd fd;
    sockaddr_storage address{};
    socklen_t size = 0;
    std::uint16_t port = 0;
};

Server listen_on_loopback(int family) {
    Server server;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&server.address);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&server.address);
    if (family == AF_INET) {
        v4->sin_family = AF_INET;
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        server.size = sizeof *v4;
    } else {
        v6->sin6_family = AF_INET6;
        v6->sin6_addr = in6addr_loopback;
        server.size = sizeof *v6;
    }
    server.fd = UniqueFd(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    auto* any = reinterpret_cast<sockaddr*>(&server.address);
    if (bind(server.fd.get(), any, server.size) != 0 || listen(server.fd.get(), 64) != 0)
        std::perror("listen");
    getsockname(server.fd.get(), any, &server.size);
    server.port = ntohs(v4->sin_port);
    return server;
}

Host* host = nullptr;

// Enters a cgroup, then times `once` until it fails.
template <class Once>
void measure(benchmark::State& state, const std::string& cgroup, Once once) {
    if (auto entered = host->enter(cgroup); !entered) {
        state.SkipWithError(entered.error().message.c_str());
        return;
    }
    for (auto _ : state) {
        if (!once()) {
            state.SkipWithError("an unexpected verdict");
            return;
        }
    }
}

bool connect_accept_close(const Server& server) {
    const int client = socket(server.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const linger reset{1, 0};  // no TIME_WAIT: the port range lasts
    setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    const bool ok =
        connect(client, reinterpret_cast<const sockaddr*>(&server.address), server.size) == 0;
    if (ok) close(accept4(server.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    close(client);
    return ok;
}

// One socket, refused again and again: the time from call to EPERM.
bool refused_connect(int fd, const sockaddr_storage& to, socklen_t size) {
    return connect(fd, reinterpret_cast<const sockaddr*>(&to), size) != 0 && errno == EPERM;
}

Rule rule_for(Endpoint endpoint) {
    Rule rule;
    rule.endpoint = std::move(endpoint);
    rule.sources.push_back({.layer = Layer::kCommand, .file = "bench", .line = 0, .detail = {}});
    return rule;
}

// `count` rules of which one is the server's.
Plan policy_of(const IpPrefix& target, std::uint16_t port, std::uint32_t count, bool prefixes) {
    LayerRules layer;
    layer.rules.push_back(rule_for({target, PortSet::single(port)}));
    for (std::uint32_t i = 0; i + 1 < count; i++) {
        const auto base = IpAddress::v4(0x0b000000 + i * (prefixes ? 256 : 1));
        const IpPrefix other{base, static_cast<std::uint8_t>(prefixes ? 120 : 128)};
        layer.rules.push_back(rule_for({other, PortSet::single(443)}));
    }
    RuleIds ids;
    auto planned = plan(join({layer}, std::chrono::system_clock::now()), {}, ids);
    if (!planned) std::fprintf(stderr, "%s\n", planned.error().message.c_str());
    return planned ? std::move(*planned) : Plan{};
}

struct Case {
    std::string name;
    std::string baseline;
    Plan plan;
};

void add_connect(const std::string& name, const std::string& cgroup, const Server& server) {
    benchmark::RegisterBenchmark(name.c_str(), [cgroup, &server](benchmark::State& state) {
        measure(state, cgroup, [&] { return connect_accept_close(server); });
    })->MinTime(0.03);
}

void print_row(const std::string& name, const Ratio& ratio) {
    std::printf("%-28s %7.3f  [%.3f, %.3f]  %9.0f ns  %9.0f ns\n", name.c_str(), ratio.median,
                ratio.low, ratio.high, ratio.baseline_ns, ratio.ns);
}

// nanoseconds of each refused connect, for percentiles
std::vector<double> refusal_times(const Server& server, const std::string& cgroup,
                                  std::size_t count) {
    std::vector<double> times;
    if (!host->enter(cgroup)) return times;
    const UniqueFd fd(socket(server.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage to = server.address;
    reinterpret_cast<sockaddr_in*>(&to)->sin_addr.s_addr = htonl(0xc0000209);  // 192.0.2.9
    for (std::size_t i = 0; i < count; i++) {
        const auto begin = std::chrono::steady_clock::now();
        const bool refused = refused_connect(fd.get(), to, server.size);
        const auto end = std::chrono::steady_clock::now();
        if (refused) times.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
    }
    std::sort(times.begin(), times.end());
    return times;
}

void pin_to_one_cpu() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

int run(int rounds, const char* json_file) {
    auto made = Host::make();
    if (!made) {
        std::fprintf(stderr, "sluice-bench-connect: %s\n", made.error().message.c_str());
        return exit_code(made.error().code);
    }
    host = &*made;
    pin_to_one_cpu();
    const Server v4 = listen_on_loopback(AF_INET), v6 = listen_on_loopback(AF_INET6);
    const auto loopback4 = IpAddress::v4(0x7f000001);
    const auto loopback6 = *IpAddress::parse("::1");
    std::vector<Case> cases;
    for (const std::uint32_t count : {1u, 100u, 10000u, 100000u}) {
        cases.push_back({"v4/" + std::to_string(count), "bare4",
                         policy_of(IpPrefix::host(loopback4), v4.port, count, false)});
        cases.push_back({"v6/" + std::to_string(count), "bare6",
                         policy_of(IpPrefix::host(loopback6), v6.port, count, false)});
        cases.push_back({"cidr/" + std::to_string(count), "bare4",
                         policy_of(*IpPrefix::parse("127.0.0.0/8"), v4.port, count, true)});
    }
    add_connect("bare4", "plain", v4);
    add_connect("bare6", "plain", v6);
    add_connect("elsewhere4", "plain", v4);
    std::vector<std::string> enforced{"elsewhere4"};
    for (const auto& c : cases) {
        add_connect(c.name,
                    c.name.substr(0, c.name.find('/')) + c.name.substr(c.name.find('/') + 1),
                    c.baseline == "bare6" ? v6 : v4);
        enforced.push_back(c.name);
    }
    Series series;
    std::vector<double> refusals;
    for (int round = 0; round < rounds; round++) {
        std::fprintf(stderr, "\rround %d of %d", round + 1, rounds);
        run_round({"bare4", "bare6"}, series);
        if (!host->load()) return 1;
        for (const auto& c : cases) {
            auto cgroup = c.name;
            cgroup.erase(cgroup.find('/'), 1);
            if (auto added = host->add_sandbox(cgroup, c.plan); !added) {
                std::fprintf(stderr, "\n%s\n", added.error().message.c_str());
                return 1;
            }
        }
        std::rotate(enforced.begin(), enforced.begin() + 1, enforced.end());
        run_round(enforced, series);
        const auto times = refusal_times(v4, "v4100", 2000);
        refusals.insert(refusals.end(), times.begin(), times.end());
        if (auto left = host->enter("plain"); !left) return 1;
        host->unload();
    }
    std::fprintf(stderr, "\n");
    std::printf("%-28s %7s  %-16s  %12s  %12s\n", "connect+accept+close", "ratio", "95 %", "bare",
                "enforced");
    nlohmann::json report;
    const auto row = [&](const std::string& name, const std::string& baseline) {
        const auto ratio = compare(series[baseline], series[name]);
        print_row(name, ratio);
        report["connect"][name] = {{"ratio", ratio.median},
                                   {"low", ratio.low},
                                   {"high", ratio.high},
                                   {"bare_ns", ratio.baseline_ns},
                                   {"ns", ratio.ns}};
    };
    row("elsewhere4", "bare4");
    for (const auto& c : cases) row(c.name, c.baseline);
    std::sort(refusals.begin(), refusals.end());
    if (!refusals.empty()) {
        const double p50 = refusals[refusals.size() / 2],
                     p99 = refusals[refusals.size() * 99 / 100];
        std::printf("refusal (EPERM)              p50 %.0f ns  p99 %.0f ns\n", p50, p99);
        report["refusal"] = {{"p50_ns", p50}, {"p99_ns", p99}};
    }
    if (json_file) {
        if (FILE* out = std::fopen(json_file, "w")) {
            std::fprintf(out, "%s\n", report.dump(2).c_str());
            std::fclose(out);
        }
    }
    return 0;
}

}  // namespace sluice::bench

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 21;
    if (rounds < 1) {
        std::fprintf(stderr, "usage: sluice-bench-connect [ROUNDS [JSON-FILE]]\n");
        return 2;
    }
    return sluice::bench::run(rounds, argc > 2 ? argv[2] : nullptr);
}
