#include "config/config.h"
#include "policy/text.h"

namespace sluice::config {

Result<LayerRules> command_layer(const std::vector<std::string>& endpoints) {
    LayerRules out;
    for (const auto& text : endpoints) {
        auto endpoint = Endpoint::parse(text);
        if (!endpoint) return std::move(endpoint).error().context("--allow");
        if (std::holds_alternative<Wildcard>(endpoint->host))
            return Error::invalid(
                "--allow: " + in_quotes(text) +
                " is a wildcard, and cannot be resolved ahead: write the names "
                "that are meant, or the wildcard under relayed in the policy file");
        out.rules.push_back(
            {std::move(*endpoint), Via::kKernel, {{Layer::kCommand, "--allow", 0, ""}}, {}, {}});
    }
    return out;
}

}  // namespace sluice::config
