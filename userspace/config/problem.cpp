#include "base/escape.h"
#include "config/config.h"

namespace sluice::config {
namespace {

std::string_view word(Severity severity) {
    switch (severity) {
        case Severity::kNote:
            return "note";
        case Severity::kWarning:
            return "warning";
        case Severity::kError:
            return "error";
    }
    return "error";
}

}  // namespace

std::string Problem::to_string() const {
    std::string out = printable(file);
    if (line != 0) out += ":" + std::to_string(line);
    if (!out.empty()) out += ": ";
    out += std::string(word(severity)) + ": ";
    if (!key.empty()) out += key + ": ";
    out += text;
    if (!remedy.empty()) out += "; " + remedy;
    return out;
}

bool has_errors(const std::vector<Problem>& problems) {
    for (const auto& problem : problems)
        if (problem.severity == Severity::kError) return true;
    return false;
}

}  // namespace sluice::config
