#include "bench/rounds.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sluice::bench {
namespace {

// Keeps the figures and prints nothing; the table comes at the end.
class Collector : public benchmark::BenchmarkReporter {
  public:
    explicit Collector(std::vector<double>& into) : into_(into) {}
    bool ReportContext(const Context& /*context*/) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const auto& run : runs) {
            if (run.error_occurred)
                std::fprintf(stderr, "%s: %s\n", run.benchmark_name().c_str(),
                             run.error_message.c_str());
            else
                into_.push_back(run.GetAdjustedCPUTime());  // other processes do not count
        }
    }

  private:
    std::vector<double>& into_;
};

double median_of(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const auto middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

void run_round(const std::vector<std::string>& names, Series& series) {
    for (const auto& name : names) {
        Collector collector(series[name]);
        benchmark::RunSpecifiedBenchmarks(&collector, "^" + name + "(/min_time.*)?$");
    }
}

Ratio compare(const std::vector<double>& baseline, const std::vector<double>& measured) {
    std::vector<double> ratios;
    const auto rounds = std::min(baseline.size(), measured.size());
    for (std::size_t i = 0; i < rounds; i++) ratios.push_back(measured[i] / baseline[i]);
    Ratio result;
    if (ratios.empty()) return result;
    result.median = median_of(ratios);
    std::sort(ratios.begin(), ratios.end());
    const double n = static_cast<double>(rounds), spread = 0.98 * std::sqrt(n);
    const auto at = [&](double position) {
        const double index = std::clamp(position, 0.0, n - 1);
        return ratios[static_cast<std::size_t>(index)];
    };
    result.low = at(std::floor(n / 2 - spread));
    result.high = at(std::ceil(n / 2 + spread - 1));
    result.baseline_ns = median_of(baseline);
    result.ns = median_of(measured);
    return result;
}

}  // namespace sluice::bench
