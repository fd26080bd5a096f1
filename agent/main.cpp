// sluiced: the privileged agent.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "agent/embedded.h"
#include "config/preset_dir.h"
#include "os/process.h"

namespace {

// stderr is the terminal of the run's user: quiet unless asked.
void start_log() {
    auto log = spdlog::stderr_logger_mt("sluiced");
    log->set_pattern("sluiced: %l: %v");
    spdlog::set_default_logger(log);
    const char* level = std::getenv("SLUICE_LOG");
    spdlog::set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
}

std::filesystem::path preset_dir() {
    const auto program = sluice::os::own_program();
    if (!program) return {};
    return sluice::config::preset_dir_of(*program);
}

int fail(const sluice::Error& error) {
    spdlog::error("{}", error.message);
    return sluice::exit_code(error.code);
}

int run(int argc, char** argv) {
    CLI::App app("The agent of sluice. In this version it is started by `sluice run`.");
    app.set_version_flag("--version", SLUICE_VERSION);
    sluice::agent::EmbeddedOptions options;
    options.preset_dir = preset_dir();
    auto* embedded = app.add_option("--embedded", options.name, "serve one sandbox of this name");
    app.add_option("--control-fd", options.control_fd, "the caller's connection, inherited")
        ->needs(embedded);
    app.add_option("--policy-dir", options.policy_dir, "the host's policy files")
        ->capture_default_str();
    app.add_option("--preset-dir", options.preset_dir, "the presets")->capture_default_str();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    if (options.name.empty() || options.control_fd < 0) {
        std::fputs(
            "sluiced: only --embedded NAME --control-fd FD in this version; use `sluice run`\n",
            stderr);
        return 2;
    }
    // A terminal's signals are for the run, which tells us by its end of file.
    (void)setsid();
    for (const int signal : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
    const auto done = sluice::agent::run_embedded(options);
    return done ? 0 : fail(done.error());
}

}  // namespace

int main(int argc, char** argv) {
    try {
        start_log();
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "sluiced: %s\n", error.what());
        return 1;
    }
}
