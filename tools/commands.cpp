#include "commands.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>

#include "agents.h"
#include "base/error.h"
#include "base/escape.h"
#include "check.h"
#include "doctor.h"
#include "purge.h"
#include "render.h"
#include "style.h"
#include "workspace/save.h"

namespace sluice::cli {

using nlohmann::json;

namespace {

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_json(const json& value) {
    print(value.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

// An error's lines may quote a file of the sandbox's; each is escaped by itself.
int fail(const Error& error) {
    std::string_view rest = error.message;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        std::fprintf(stderr, "sluice: %s\n", printable(rest.substr(0, end)).c_str());
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return exit_code(error.code);
}

bool confirmed() {
    std::fputs("This ends every sandbox and kills what runs in them. Go on? [y/N] ", stderr);
    std::string line;
    return std::getline(std::cin, line) && (line == "y" || line == "yes");
}

}  // namespace

int list_command(const ListOptions& options) {
    const auto listings = collect_listings(options.name, Places::of_host());
    if (!listings) return fail(listings.error());
    const int code = options.name && !listings->failed.empty() ? 1 : 0;
    if (options.json) {
        print_json(json{{"sandboxes", listings->sandboxes},
                        {"orphans", listings->orphans},
                        {"failed", listings->failed}});
        return code;
    }
    print(render_listings(*listings, Style::of_stdout()));
    return code;
}

int status_command(bool as_json) {
    const auto places = Places::of_host();
    const json agents = collect_status(places);
    const json orphans = find_orphans(places);
    if (as_json) {
        print_json(json{{"agents", agents}, {"orphans", orphans}});
    } else {
        print(render_status(agents, orphans, Style::of_stdout()));
    }
    return 0;
}

int explain_command(const ExplainOptions& options) {
    auto sandbox = options.sandbox;
    if (options.words.size() == 2) {
        if (sandbox) return fail(Error::invalid("the sandbox is named twice"));
        sandbox = options.words.front();
    }
    const auto answer = ask_explain(sandbox, options.words.back(), Places::of_host());
    if (!answer) return fail(answer.error());
    if (options.json) {
        print_json(*answer);
    } else {
        print(render_explain(*answer, Style::of_stdout()));
    }
    return 0;
}

int add_command(const AddOptions& options) {
    workspace::AddRequest request;
    request.entries = options.entries;
    if (options.policy) request.policy = *options.policy;
    std::error_code ec;
    const auto here = std::filesystem::current_path(ec);
    if (ec) return fail(Error::failed("find the working directory: " + ec.message()));
    const auto done = workspace::add(request, here);
    if (!done) return fail(done.error());
    if (options.json) {
        print_json(json{{"file", done->file.string()},
                        {"created", done->created},
                        {"added", done->added},
                        {"there", done->there},
                        {"effect", done->lines}});
        return 0;
    }
    for (const auto& line : done->lines) print(line + "\n");
    return 0;
}

int check_command(const std::string& file, bool as_json) {
    const auto report = check_file(file);
    if (!report) return fail(std::move(report).error());
    if (as_json) {
        print_json(to_json(*report));
    } else {
        print(render_check(*report, file, Style::of_stdout()));
    }
    return report->ok() ? 0 : exit_code(Errc::kInvalid);
}

int doctor_command(bool as_json) {
    const auto findings = judge(read_host());
    if (as_json) {
        print_json(to_json(findings));
    } else {
        print(render_doctor(findings, Style::of_stdout()));
    }
    return can_run(findings) ? 0 : exit_code(Errc::kUnsupported);
}

int purge_command(const PurgeOptions& options) {
    if (geteuid() != 0) return fail(Error{Errc::kDenied, 0, "purge needs root: sudo sluice purge"});
    const auto roots = Roots::of_host();
    if (!roots) return fail(roots.error());
    if (options.force && !options.yes && isatty(STDIN_FILENO) == 1 && !confirmed()) return 1;
    const Purged purged = purge(*roots, options.force);
    if (options.json) {
        print_json(to_json(purged));
    } else {
        print(render_purged(purged));
    }
    return purged.clean() ? 0 : 1;
}

}  // namespace sluice::cli
