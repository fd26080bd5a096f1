// The table of methods: parameters are declared, so that everything wrong with a call is answered
// in one way, whatever the method.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "control/peer.h"
#include "control/wire.h"

namespace sluice::control {

enum class Type : std::uint8_t { kText, kCount, kFlag, kTexts, kObject };  // kCount: 0..2^53
std::string_view to_string(Type type);  // "a string", "a whole number from 0", ...

struct Param {
    std::string name;
    Type type = Type::kText;
    bool required = true;  // else it may be absent or null
};

struct Call {
    const Peer& peer;
    nlohmann::json params;  // checked against the declaration; null members are left out
    std::vector<UniqueFd> fds;
};

struct Method {
    std::string name;
    std::vector<Param> params;
    std::function<Result<nlohmann::json>(Call&)> handle;
};

class Dispatcher {
  public:
    void add(Method method);
    // A name of the protocol that this version answers with an explanation.
    void add_later(std::string name, std::string hint);

    // The answer to one line, without newline. Never empty: every message gets an answer.
    // Descriptors that the method does not take are closed.
    std::string answer(const Peer& peer, const LineBuffer::Line& line,
                       std::vector<UniqueFd> fds) const;

  private:
    struct Request;
    [[nodiscard]] std::string names() const;
    std::string run(const Peer& peer, Request request, std::vector<UniqueFd> fds) const;

    std::map<std::string, Method> methods_;
    std::map<std::string, std::string> later_;
};

}  // namespace sluice::control
