// sluice: the command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "run/run.h"

namespace {

using namespace sluice;

constexpr int kUsage = 2;

struct Words {
    std::vector<char*> own;            // up to the first `--`
    std::vector<std::string> command;  // after it
    bool separated = false;
};

// The command's own options are none of ours, whatever they look like.
Words split(int argc, char** argv) {
    Words words;
    for (int i = 0; i < argc; ++i) {
        if (words.separated) {
            words.command.emplace_back(argv[i]);
        } else if (std::string_view(argv[i]) == "--") {
            words.separated = true;
        } else {
            words.own.push_back(argv[i]);
        }
    }
    return words;
}

// CLI11's help with a usage line of our own.
class WithUsage final : public CLI::Formatter {
  public:
    explicit WithUsage(std::string usage) : usage_(std::move(usage)) {}
    std::string make_usage(const CLI::App*, std::string) const override {
        return "Usage: " + usage_ + "\n";
    }

  private:
    std::string usage_;
};

struct Parsed {
    run::RunOptions run;
    cli::ListOptions list;
    cli::ExplainOptions explain;
    cli::AddOptions add;
    cli::PurgeOptions purge;
    std::string check_file;
    bool status_json = false, check_json = false, doctor_json = false;
};

template <class Bool>
void add_json(CLI::App* command, Bool& json) {
    command->add_flag("--json", json, "print JSON");
}

CLI::App* add_run(CLI::App& app, run::RunOptions& run) {
    auto* command = app.add_subcommand("run", "Run a command in a sandbox of its own");
    command->formatter(std::make_shared<WithUsage>("sluice run [OPTIONS] -- COMMAND [ARGUMENTS]"));
    command->add_option("--policy", run.policy, "the policy file")->type_name("FILE");
    command->add_option("--allow", run.allow, "allow a destination (repeatable)")
        ->type_name("HOST:PORT")
        ->allow_extra_args(false);
    command->add_option("--name", run.name, "the sandbox's name")->type_name("NAME");
    command->add_flag("--detach", run.detach,
                      "what the command leaves running stays, confined as before");
    command->add_flag("--quiet", run.quiet, "print errors only");
    command->add_flag("--json", run.json, "the exit report is one line of JSON, on stderr");
    command->add_option("--report", run.report, "write the exit report as JSON")->type_name("FILE");
    command->footer(
        "Examples:\n"
        "  sudo sluice run --allow example.com:443 -- curl https://example.com/\n"
        "  sudo sluice run --policy .sluice.toml -- make test\n"
        "  sudo sluice run -- sh          (nothing is allowed)\n\n"
        "The exit code is the command's own; 126 or 127 when it can't be executed, 2 for usage or\n"
        "policy errors, 3 when this host can't enforce, 4 when enforcement was lost.");
    return command;
}

void add_reading(CLI::App& app, Parsed& parsed) {
    auto* list =
        app.add_subcommand("list", "Rules, warnings and refusals of the running sandboxes");
    list->add_option("NAME", parsed.list.name, "only this sandbox");
    add_json(list, parsed.list.json);

    auto* status = app.add_subcommand("status", "Agents, sandboxes, and whether they are enforced");
    add_json(status, parsed.status_json);

    auto* explain = app.add_subcommand("explain", "Would a connection be allowed, and why");
    explain->formatter(std::make_shared<WithUsage>("sluice explain [OPTIONS] [NAME] HOST:PORT"));
    explain->add_option("WORDS", parsed.explain.words, "[NAME] HOST:PORT, or HOST")
        ->required()
        ->expected(1, 2);
    explain->add_option("--sandbox", parsed.explain.sandbox, "the sandbox, where several run")
        ->type_name("NAME");
    explain->footer(
        "The exit code says whether there was an answer; --json has the verdict.\n\n"
        "Example:\n  sluice explain example.com:443");
    add_json(explain, parsed.explain.json);
}

void add_files(CLI::App& app, Parsed& parsed) {
    auto* add = app.add_subcommand("add", "Add destinations to the project's policy file");
    add->add_option("HOST:PORT", parsed.add.entries, "what to allow")->required();
    add->add_option("--policy", parsed.add.policy, "the policy file")->type_name("FILE");
    add->footer("Example:\n  sluice add example.com:443 '[2001:db8::7]:5432'");
    add_json(add, parsed.add.json);

    auto* check = app.add_subcommand("check", "Check a policy file, as a run would read it");
    check->add_option("FILE", parsed.check_file, "the policy file")->required();
    check->footer("Exits 2 when there is an error. Example:\n  sluice check .sluice.toml");
    add_json(check, parsed.check_json);
}

void add_host(CLI::App& app, Parsed& parsed) {
    auto* doctor = app.add_subcommand("doctor", "Can this host enforce? What is missing?");
    doctor->footer("Exits 3 when `sluice run` can't work here.");
    add_json(doctor, parsed.doctor_json);

    auto* purge = app.add_subcommand("purge", "Remove what agents that died left behind");
    purge->add_flag("--force", parsed.purge.force,
                    "end running sandboxes too, and kill what leftovers still confine");
    purge->add_flag("--yes", parsed.purge.yes, "don't ask before --force");
    purge->footer(
        "Exits 1 when something is left: processes that are still confined (--force ends\n"
        "them), or something that could not be removed.");
    add_json(purge, parsed.purge.json);
}

int usage(const CLI::App& command, const char* what) {
    std::fprintf(stderr, "sluice: %s\n%s\n", what, command.help().c_str());
    return kUsage;
}

int dispatch(const CLI::App& app, Parsed& parsed) {
    if (app.got_subcommand("run")) return run::run_command(parsed.run);
    if (app.got_subcommand("list")) return cli::list_command(parsed.list);
    if (app.got_subcommand("status")) return cli::status_command(parsed.status_json);
    if (app.got_subcommand("explain")) return cli::explain_command(parsed.explain);
    if (app.got_subcommand("add")) return cli::add_command(parsed.add);
    if (app.got_subcommand("check"))
        return cli::check_command(parsed.check_file, parsed.check_json);
    if (app.got_subcommand("doctor")) return cli::doctor_command(parsed.doctor_json);
    return cli::purge_command(parsed.purge);
}

int sluice_main(int argc, char** argv) {
    CLI::App app(
        "Kernel-level egress control for sandboxes: everything is refused but what a "
        "policy allows.");
    app.name("sluice");
    app.set_version_flag("--version", "sluice " SLUICE_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Start with:\n"
        "  sluice doctor\n"
        "  sudo sluice run --allow example.com:443 -- curl https://example.com/\n"
        "`sluice COMMAND --help` has each command's options.");
    Parsed parsed;
    const CLI::App* run = add_run(app, parsed.run);
    add_reading(app, parsed);
    add_files(app, parsed);
    add_host(app, parsed);

    Words words = split(argc, argv);
    try {
        app.parse(static_cast<int>(words.own.size()), words.own.data());
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kUsage;
    }
    if (app.got_subcommand("run")) {
        if (words.command.empty()) return usage(*run, "the command to run comes after `--`");
        parsed.run.command = std::move(words.command);
        parsed.run.argv.assign(argv, argv + argc);
    } else if (words.separated) {
        return usage(app, "only `run` takes words after `--`");
    }
    return dispatch(app, parsed);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return sluice_main(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "sluice: %s\n", error.what());
        return 1;
    }
}
