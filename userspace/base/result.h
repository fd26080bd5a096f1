// Result<T>: a value or an Error. Functions that can fail return it; nothing of ours throws.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace sluice {

// tl::expected is not [[nodiscard]]; this is the same type with that one property added.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  public:
    using tl::expected<T, Error>::expected;
    Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}
};

using Status = Result<void>;

}  // namespace sluice

// Returns the error of a Status or Result expression from the enclosing function.
#define SLUICE_TRY(expr)                                         \
    do {                                                         \
        auto&& sluice_try_ = (expr);                             \
        if (!sluice_try_) return std::move(sluice_try_).error(); \
    } while (0)

#define SLUICE_CONCAT_(a, b) a##b
#define SLUICE_CONCAT(a, b) SLUICE_CONCAT_(a, b)
#define SLUICE_ASSIGN_(tmp, lhs, expr)       \
    auto tmp = (expr);                       \
    if (!tmp) return std::move(tmp).error(); \
    lhs = std::move(*tmp)

// SLUICE_ASSIGN(auto fd, open_it()): the value, or return with the error.
#define SLUICE_ASSIGN(lhs, expr) SLUICE_ASSIGN_(SLUICE_CONCAT(sluice_assign_, __LINE__), lhs, expr)
