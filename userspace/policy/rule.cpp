#include "policy/rule.h"

#include "base/escape.h"

namespace sluice {

std::string_view to_string(Via via) {
    return via == Via::kKernel ? "kernel" : "gateway";
}

std::string_view to_string(Layer layer) {
    switch (layer) {
        case Layer::kBuiltin:
            return "builtin";
        case Layer::kBaseline:
            return "baseline";
        case Layer::kGrant:
            return "grant";
        case Layer::kProject:
            return "project";
        case Layer::kCommand:
            return "command";
    }
    return "unknown";
}

std::string Source::to_string() const {
    std::string out(sluice::to_string(layer));
    if (!file.empty()) out += " " + printable(file);
    if (line != 0) out += ":" + std::to_string(line);
    if (!detail.empty()) out += " (" + printable(detail) + ")";
    return out;
}

}  // namespace sluice
