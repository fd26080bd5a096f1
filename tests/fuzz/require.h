// An invariant of a fuzz target: the input is kept as the crash that broke it.
#pragma once

#include <cstdlib>

namespace sluice::fuzz {

inline void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace sluice::fuzz
