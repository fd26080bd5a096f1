// Interleaved rounds of Google Benchmark runs, reported as paired ratios to a baseline.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sluice::bench {

// One figure: nanoseconds an operation, one per round.
using Series = std::map<std::string, std::vector<double>>;

// Runs the benchmarks registered under `names` once, in this order, adding a figure to each series.
void run_round(const std::vector<std::string>& names, Series& series);

struct Ratio {
    double median = 0;
    double low = 0, high = 0;  // 95 % confidence interval of the median (binomial order statistics)
    double baseline_ns = 0, ns = 0;  // medians, as context
};
// Pairs the rounds: the ratio is taken within a round, the median over rounds.
Ratio compare(const std::vector<double>& baseline, const std::vector<double>& measured);

}  // namespace sluice::bench
