#include <algorithm>

#include "config/files.h"
#include "config/grants.h"
#include "config/rules.h"

namespace sluice::config {
namespace {

struct HostFile {
    LayerRules baseline, grants;
    std::optional<Text> mode;
};

HostFile read_host_file(Findings& findings, const Table& root,
                        const std::vector<std::string>& principals) {
    HostFile out;
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
        out.mode = table->word("default", {"managed", "open"});
        table->finish();
    }
    read_grants(reader, principals, out.grants.rules);
    reader.finish();
    return out;
}

void append(LayerRules& to, LayerRules&& from) {
    std::ranges::move(from.rules, std::back_inserter(to.rules));
    std::ranges::move(from.denies, std::back_inserter(to.denies));
}

// Open only where every file that says something says so.
class ModeVotes {
  public:
    void add(Findings& findings, const Text& mode) {
        const Mode said = mode.value == "open" ? Mode::kOpen : Mode::kManaged;
        if (any_ && said != mode_) {
            findings.add(
                Severity::kWarning, mode.line, mode.key,
                "\"" + mode.value + "\" differs from another file's, so the mode is managed",
                "state the mode in one file");
            mode_ = Mode::kManaged;
            split_ = true;
        } else if (!split_) {
            mode_ = said;
        }
        any_ = true;
    }
    [[nodiscard]] Mode mode() const { return mode_; }

  private:
    Mode mode_ = Mode::kManaged;
    bool any_ = false, split_ = false;
};

void read_one(const std::filesystem::path& path, const std::vector<std::string>& principals,
              ModeVotes& votes, Baseline& out) {
    Findings findings(path.string());
    HostFile file;
    const auto text = read_text(path);
    if (!text) {
        findings.add(Severity::kError, 0, "", text.error().message);
    } else {
        const auto document = parse_document(*text);
        if (const auto* error = std::get_if<SyntaxError>(&document))
            findings.add_syntax(*error);
        else
            file = read_host_file(findings, std::get<Table>(document), principals);
    }
    if (!findings.has_errors()) {
        if (file.mode) votes.add(findings, *file.mode);
        append(out.baseline, std::move(file.baseline));
        append(out.grants, std::move(file.grants));
    }
    std::ranges::move(findings.take(), std::back_inserter(out.problems));
}

}  // namespace

Baseline load_baseline(const std::filesystem::path& dir,
                       const std::vector<std::string>& principals) {
    Baseline out;
    ModeVotes votes;
    const auto files = toml_files(dir);
    if (!files) {
        out.problems.push_back({Severity::kError, dir.string(), 0, "", files.error().message, ""});
        return out;
    }
    for (const auto& path : *files) read_one(path, principals, votes, out);
    out.mode = votes.mode();
    return out;
}

}  // namespace sluice::config
