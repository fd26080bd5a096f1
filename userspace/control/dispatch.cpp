#include "control/dispatch.h"

#include <algorithm>
#include <exception>
#include <optional>

#include "base/escape.h"

namespace sluice::control {

using nlohmann::json;

struct Dispatcher::Request {
    json id;
    std::string method;
    json params = json::object();
};

namespace {

// Of a text that goes back to its sender in a message.
std::string in_quotes(const std::string& text) {
    constexpr std::size_t kShown = 80;
    return "'" + printable(text.size() > kShown ? text.substr(0, kShown) + "..." : text) + "'";
}

RpcError invalid(int code, std::string message, std::string hint) {
    return {code, std::move(message), "invalid", std::move(hint)};
}

bool is_count(const json& value) {
    constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // what every JSON reader keeps exact
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= kExact;
}

bool fits(Type type, const json& value) {
    switch (type) {
        case Type::kText:
            return value.is_string();
        case Type::kCount:
            return is_count(value);
        case Type::kFlag:
            return value.is_boolean();
        case Type::kObject:
            return value.is_object();
        case Type::kTexts:
            return value.is_array() && std::all_of(value.begin(), value.end(),
                                                   [](const json& one) { return one.is_string(); });
    }
    return false;
}

std::string signature(const Method& method) {
    if (method.params.empty()) return method.name + " takes no parameter";
    std::string text = method.name + " takes ";
    for (const Param& param : method.params) {
        if (&param != &method.params.front()) text += ", ";
        text += param.name + (param.required ? "" : " (optional)");
    }
    return text;
}

// Drops null members (absent) and checks the rest.
std::optional<RpcError> check(const Method& method, json& params) {
    for (auto it = params.begin(); it != params.end();) {
        it = it->is_null() ? params.erase(it) : std::next(it);
    }
    for (const auto& [name, value] : params.items()) {
        const bool known = std::any_of(method.params.begin(), method.params.end(),
                                       [&](const Param& param) { return param.name == name; });
        if (!known) {
            return invalid(kInvalidParams, method.name + ": unknown parameter " + in_quotes(name),
                           signature(method));
        }
    }
    for (const Param& param : method.params) {
        const auto found = params.find(param.name);
        if (found == params.end()) {
            if (!param.required) continue;
            return invalid(kInvalidParams,
                           method.name + ": parameter '" + param.name + "' is missing",
                           signature(method));
        }
        if (!fits(param.type, *found)) {
            return invalid(kInvalidParams,
                           method.name + ": '" + param.name + "' must be " +
                               std::string(to_string(param.type)) + ", not " + found->type_name(),
                           signature(method));
        }
    }
    return std::nullopt;
}

bool is_id(const json& id) {
    return id.is_string() || id.is_number_integer();
}

std::optional<RpcError> check_request(const json& parsed, const json& id) {
    if (parsed.is_discarded()) {
        return invalid(kParseError, "the message is not JSON",
                       "one JSON-RPC 2.0 message a line, in UTF-8");
    }
    if (parsed.is_array()) {
        return invalid(kInvalidRequest, "batches are not supported",
                       "send the messages one by one, a line each");
    }
    if (!parsed.is_object() || !parsed.contains("jsonrpc") || parsed["jsonrpc"] != "2.0" ||
        id.is_null() || !parsed.contains("method") || !parsed["method"].is_string()) {
        return invalid(kInvalidRequest, "the message is not a JSON-RPC 2.0 request",
                       R"({"jsonrpc":"2.0","id":1,"method":"hello","params":{...}})");
    }
    return std::nullopt;
}

// Nothing of ours throws, libraries do; the agent outlives one failed call.
Result<json> handled(const Method& method, Call& call) {
    try {
        return method.handle(call);
    } catch (const std::exception& error) {
        return Error::failed(method.name + ": unexpected: " + error.what());
    } catch (...) {
        return Error::failed(method.name + ": unexpected error");
    }
}

}  // namespace

std::string_view to_string(Type type) {
    switch (type) {
        case Type::kText:
            return "a string";
        case Type::kCount:
            return "a whole number from 0";
        case Type::kFlag:
            return "true or false";
        case Type::kTexts:
            return "a list of strings";
        case Type::kObject:
            return "an object";
    }
    return "something else";
}

void Dispatcher::add(Method method) {
    std::string name = method.name;
    methods_.insert_or_assign(std::move(name), std::move(method));
}

void Dispatcher::add_later(std::string name, std::string hint) {
    later_.insert_or_assign(std::move(name), std::move(hint));
}

std::string Dispatcher::names() const {
    std::string text = "methods:";
    for (const auto& [name, method] : methods_) text += " " + name;
    return text;
}

std::string Dispatcher::answer(const Peer& peer, const LineBuffer::Line& line,
                               std::vector<UniqueFd> fds) const {
    const bool deep = nested_too_deep(line.text);
    json parsed = line.oversized || deep ? json() : json::parse(line.text, nullptr, false);
    const json id =
        parsed.is_object() && parsed.contains("id") && is_id(parsed["id"]) ? parsed["id"] : json();
    if (peer.inside) {
        return encode_error(id, {kSluiceError, "a process inside a sandbox may not use this socket",
                                 "inside_sandbox", "ask from outside the sandbox"});
    }
    if (line.oversized) {
        return encode_error(
            id, invalid(kInvalidRequest,
                        "the message is longer than " + std::to_string(kMaxMessage) + " bytes",
                        "one message a line, shorter than that"));
    }
    if (deep) {
        return encode_error(id, invalid(kInvalidRequest,
                                        "the message is nested deeper than " +
                                            std::to_string(kMaxDepth) + " levels",
                                        "no method takes such a value"));
    }
    if (const auto wrong = check_request(parsed, id)) return encode_error(id, *wrong);
    Request request{.id = id, .method = parsed["method"].get<std::string>()};
    if (parsed.contains("params") && !parsed["params"].is_null())
        request.params = std::move(parsed["params"]);
    return run(peer, std::move(request), std::move(fds));
}

std::string Dispatcher::run(const Peer& peer, Request request, std::vector<UniqueFd> fds) const {
    if (const auto later = later_.find(request.method); later != later_.end()) {
        return encode_error(request.id, {kSluiceError, request.method + ": not in this version",
                                         "unsupported", later->second});
    }
    const auto found = methods_.find(request.method);
    if (found == methods_.end()) {
        return encode_error(
            request.id,
            invalid(kMethodNotFound, "unknown method " + in_quotes(request.method), names()));
    }
    const Method& method = found->second;
    if (!request.params.is_object()) {
        return encode_error(
            request.id,
            invalid(kInvalidParams, method.name + ": params must be an object", signature(method)));
    }
    if (const auto wrong = check(method, request.params)) {
        return encode_error(request.id, *wrong);
    }
    Call call{peer, std::move(request.params), std::move(fds)};
    auto result = handled(method, call);
    if (!result) return encode_error(request.id, to_rpc(result.error()));
    return encode_result(request.id, std::move(*result));
}

}  // namespace sluice::control
