#include "get.h"
#include "render.h"

namespace sluice::cli {

using nlohmann::json;

std::string render_explain(const json& answer, const Style& style) {
    const bool allowed = text(answer, "verdict") == "allow";
    std::string out = style.bold(text(answer, "target")) + ": " +
                      (allowed ? style.good("allowed") : style.bad("refused")) + " in " +
                      text(answer, "sandbox") + " (generation " +
                      std::to_string(number(answer, "generation")) + ")\n";
    Table table(2);
    table.row({"why", text(answer, "text")});
    const json& rule = at(answer, "rule");
    if (rule.is_object()) table.row({"rule", text(rule, "text") + ", from " + source_text(rule)});
    for (const json& address : list(answer, "addresses")) {
        std::string line = text(address, "ip") + " " + text(address, "verdict") + " (" +
                           text(address, "reason") + ")";
        if (at(address, "age_s").is_number()) {
            line += ", resolved " + std::to_string(number(address, "age_s")) + " s ago";
        }
        table.row({"address", std::move(line)});
    }
    const json& denials = at(answer, "denials");
    if (const auto count = number(denials, "count"); count != 0) {
        table.row({"so far", "refused " + counted(count, "time", "times") + ", last " +
                                 text(denials, "last")});
    }
    if (const auto remedy = text(answer, "remedy"); !remedy.empty()) {
        table.row({"remedy", remedy});
    }
    return out + table.render();
}

}  // namespace sluice::cli
