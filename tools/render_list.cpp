#include "get.h"
#include "render.h"

namespace sluice::cli {

using nlohmann::json;

namespace {

constexpr std::size_t kShownAddresses = 3;

std::string addresses(const json& rule) {
    const json& all = list(rule, "addresses");
    std::string out;
    for (std::size_t i = 0; i < all.size() && i < kShownAddresses; ++i) {
        out += (i == 0 ? "" : ", ") + text(all[i], "ip");
        if (text(all[i], "state") == "left_out") out += " (left out)";
    }
    if (all.size() > kShownAddresses) {
        out += ", +" + std::to_string(all.size() - kShownAddresses) + " more";
    }
    return out;
}

std::string heading(const json& listing, const Style& style) {
    const json& installed = at(listing, "installed");
    std::string state = flag(installed, "active") ? style.good("active") : style.bad("NOT ACTIVE");
    std::string line = style.bold(text(listing, "sandbox")) + ": " + state + ", generation " +
                       std::to_string(number(listing, "generation")) + ", uid " +
                       std::to_string(number(listing, "owner"));
    if (text(listing, "mode") == "open") {
        line += ", " + style.warn("OPEN: everything but the host's denies is allowed");
    }
    if (!flag(listing, "enabled")) line += ", " + style.warn("egress is switched off");
    const std::string error = text(at(installed, "probe"), "error");
    if (!error.empty()) line += "\n  " + style.bad("probe: " + error);
    return line + "\n";
}

std::string rules(const json& listing, const Style& style) {
    const json& all = list(listing, "rules");
    if (all.empty()) return "  no rule: nothing is allowed\n";
    Table table(2, {false, true});
    table.row({"ALLOWED", "HITS", "FROM", "ADDRESSES"});
    for (const json& rule : all) {
        std::string name = text(rule, "text");
        if (text(rule, "via") == "gateway") name += " (relayed)";
        table.row({std::move(name), std::to_string(number(rule, "hits")), source_text(rule),
                   addresses(rule)});
    }
    std::string out = table.render();
    return style.colour ? style.dim(out.substr(0, out.find('\n'))) + out.substr(out.find('\n'))
                        : out;
}

std::string warnings(const json& listing, const Style& style) {
    std::string out;
    for (const json& warning : list(listing, "warnings")) {
        const std::string severity = text(warning, "severity");
        out += "  " + style.warn(severity == "note" ? "note" : "warning") + " " +
               text(warning, "code") + ": ";
        if (const auto rule = text(warning, "rule"); !rule.empty()) out += rule + ": ";
        out += text(warning, "text") + "\n";
        if (const auto remedy = text(warning, "remedy"); !remedy.empty()) {
            out += "    " + remedy + "\n";
        }
    }
    return out;
}

std::string destination(const json& denial) {
    const std::string host = text(denial, "host");
    const std::string dst = text(denial, "dst");
    std::string out = host.empty() ? dst : host;
    const auto port = number(denial, "port");
    if (port != 0 && !out.empty()) {
        const bool v6 = host.empty() && dst.find(':') != std::string::npos;
        out = (v6 ? "[" + out + "]" : out) + ":" + std::to_string(port);
    }
    if (!host.empty() && !dst.empty() && text(denial, "reason") != "dns") out += " (" + dst + ")";
    const std::string proto = text(denial, "proto");
    return proto.empty() || proto == "tcp" ? out : out + (out.empty() ? "" : " ") + proto;
}

std::string denials(const json& listing, const Style& style) {
    std::string out;
    for (const json& denial : list(listing, "denials")) {
        const std::string target = destination(denial);
        out += "  " + style.bad("refused") + " " + std::to_string(number(denial, "count")) + "x " +
               (target.empty() ? "" : target + ": ") + text(denial, "text");
        if (number(denial, "pid") != 0) {
            out += " (last: " + text(denial, "comm") + ", pid " +
                   std::to_string(number(denial, "pid")) + ")";
        }
        out += "\n    " + text(denial, "remedy") + "\n";
    }
    return out;
}

}  // namespace

std::string source_text(const json& rule) {
    std::string out = text(rule, "layer");
    const json& source = at(rule, "source");
    if (const auto file = text(source, "file"); !file.empty()) {
        out += " " + file;
        if (number(source, "line") != 0) out += ":" + std::to_string(number(source, "line"));
    }
    if (const auto detail = text(source, "detail"); !detail.empty()) out += " (" + detail + ")";
    return out;
}

std::string render_listing(const json& listing, const Style& style) {
    return heading(listing, style) + rules(listing, style) + warnings(listing, style) +
           denials(listing, style);
}

std::string render_orphans(const json& orphans, const Style& style) {
    std::string out;
    for (const json& one : orphans) {
        out += style.bold(text(one, "name")) + ": " + style.warn(text(one, "text")) + " (" +
               counted(number(one, "processes"), "process", "processes") +
               "); end it: " + text(one, "remedy") + "\n";
    }
    return out;
}

std::string render_listings(const Listings& listings, const Style& style) {
    std::string out;
    for (const json& one : listings.sandboxes)
        out += (out.empty() ? "" : "\n") + render_listing(one, style);
    const std::string orphans = render_orphans(listings.orphans, style);
    if (!orphans.empty()) out += (out.empty() ? "" : "\n") + orphans;
    for (const json& one : listings.failed)
        out += "agent of run '" + text(one, "agent") + "': " + style.bad(text(one, "error")) + "\n";
    if (!out.empty()) return out;
    return "no sandbox is running (of those you may see); start one with `sluice run -- COMMAND`\n";
}

}  // namespace sluice::cli
