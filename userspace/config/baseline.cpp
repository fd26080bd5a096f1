#include <algorithm>

#include "config/files.h"
#include "config/grants.h"
#include "config/rules.h"

namespace sluice::config {
namespace {

void read_host_file(Findings& findings, const Table& root,
                    const std::vector<std::string>& principals, Baseline& out) {
    TableReader reader(findings, root, 1, "");
    if (auto table = reader.table("baseline")) {
        read_rules(findings, table->strings("static_tcp", "mirror.example.net:443"), Via::kKernel,
                   Layer::kBaseline, "", out.baseline.rules);
        read_rules(findings, table->strings("relayed", "*.example.net:443"), Via::kGateway,
                   Layer::kBaseline, "", out.baseline.rules);
        read_denies(findings, table->strings("deny", "10.0.0.0/8"), Layer::kBaseline,
                    out.baseline.denies);
        table->finish();
    }
    if (auto table = reader.table("mode")) {
        if (const auto mode = table->word("default", {"managed", "open"}))
            out.stated = mode->value == "open" ? Mode::kOpen : Mode::kManaged;
        table->finish();
    }
    read_grants(reader, principals, out.grants.rules);
    reader.finish();
}

void append(LayerRules& to, LayerRules&& from) {
    std::ranges::move(from.rules, std::back_inserter(to.rules));
    std::ranges::move(from.denies, std::back_inserter(to.denies));
}

Baseline read_one(const std::filesystem::path& path, const std::vector<std::string>& principals,
                  uid_t owner) {
    const auto text = read_text(path, owner);
    if (text) return parse_host_file(*text, path.string(), principals);
    Baseline out;
    out.problems.push_back({Severity::kError, path.string(), 0, "", text.error().message, ""});
    return out;
}

}  // namespace

Baseline parse_host_file(std::string_view text, std::string_view file,
                         const std::vector<std::string>& principals) {
    Baseline out;
    Findings findings(file);
    const auto document = parse_document(text);
    if (const auto* error = std::get_if<SyntaxError>(&document))
        findings.add_syntax(*error);
    else
        read_host_file(findings, std::get<Table>(document), principals, out);
    if (findings.has_errors()) out = Baseline{};
    out.mode = out.stated.value_or(Mode::kManaged);
    out.problems = findings.take();
    return out;
}

Baseline load_baseline(const std::filesystem::path& dir, const std::vector<std::string>& principals,
                       uid_t owner) {
    Baseline out;
    const auto unusable = [&](const Error& error) {
        out.problems.push_back({Severity::kError, dir.string(), 0, "", error.message, ""});
        return out;
    };
    if (const auto checked = check_directory(dir, owner); !checked)
        return unusable(checked.error());
    const auto files = toml_files(dir);
    if (!files) return unusable(files.error());
    bool open = false, managed = false;
    for (const auto& path : *files) {
        Baseline one = read_one(path, principals, owner);
        open = open || one.stated == Mode::kOpen;
        managed = managed || one.stated == Mode::kManaged;
        append(out.baseline, std::move(one.baseline));
        append(out.grants, std::move(one.grants));
        std::ranges::move(one.problems, std::back_inserter(out.problems));
    }
    if (open && !managed) out.mode = Mode::kOpen;
    if (open && managed)
        out.problems.push_back({Severity::kWarning, dir.string(), 0, "mode.default",
                                "is open in one file and managed in another, so it is managed",
                                "state the mode in one file"});
    if (open || managed) out.stated = out.mode;
    return out;
}

}  // namespace sluice::config
