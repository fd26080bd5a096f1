#include "config/registries.h"
#include "policy/text.h"

namespace sluice::config {
namespace {

// The host part, without user:password@ in front and port behind.
struct Authority {
    std::string_view host;
    std::string_view port;
};

Authority split_authority(std::string_view text) {
    if (const auto at = text.rfind('@'); at != text.npos) text.remove_prefix(at + 1);
    const auto bracket = text.rfind(']');
    const auto colon = text.find(':', bracket == text.npos ? 0 : bracket);
    if (colon == text.npos) return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

Result<Endpoint> endpoint_of_url(std::string_view url) {
    const auto colon = url.find("://");
    std::string scheme(url.substr(0, colon == url.npos ? 0 : colon));
    for (auto& c : scheme) c = ascii_lower(c);
    // cargo writes sparse+https://, apt mirror+https:// and tor+https://.
    if (const auto plus = scheme.rfind('+'); plus != scheme.npos) scheme.erase(0, plus + 1);
    // The URL may hold a password, so the error does not repeat it.
    if (scheme != "http" && scheme != "https")
        return Error::invalid("not an http or https URL: write its HOST:PORT under static_tcp");
    std::string_view rest = url.substr(colon + 3);
    rest = rest.substr(0, rest.find_first_of("/?#"));
    const Authority authority = split_authority(rest);
    if (authority.host.find("${") != authority.host.npos)
        return Error::invalid("the host is a variable: write its HOST:PORT under static_tcp");
    const std::string port(authority.port.empty() ? (scheme == "http" ? "80" : "443")
                                                  : authority.port);
    auto endpoint = Endpoint::parse(std::string(authority.host) + ":" + port);
    // A rule may be a wildcard or have many ports; a URL is one host and one port.
    const bool one =
        endpoint && parse_decimal(port, 65535) && !std::holds_alternative<Wildcard>(endpoint->host);
    // Nor does this error repeat a user and password that are written wrong.
    if (endpoint ? !one : url.find('@') != url.npos)
        return Error::invalid("not one host and port: write its HOST:PORT under static_tcp");
    return endpoint;
}

}  // namespace sluice::config
