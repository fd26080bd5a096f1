#include "get.h"

#include "base/escape.h"

namespace sluice::cli {

using nlohmann::json;

const json& at(const json& object, const char* key) {
    static const json none;
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

const json& list(const json& object, const char* key) {
    static const json none = json::array();
    const json& found = at(object, key);
    return found.is_array() ? found : none;
}

std::string text(const json& object, const char* key) {
    const json& found = at(object, key);
    return found.is_string() ? printable(found.get_ref<const std::string&>()) : std::string();
}

std::uint64_t number(const json& object, const char* key) {
    const json& found = at(object, key);
    return found.is_number_unsigned() ? found.get<std::uint64_t>() : 0;
}

bool flag(const json& object, const char* key) {
    const json& found = at(object, key);
    return found.is_boolean() && found.get<bool>();
}

}  // namespace sluice::cli
