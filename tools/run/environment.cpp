#include "run/environment.h"

#include <unistd.h>

#include <algorithm>

#include "os/process.h"

namespace sluice::run {
namespace {

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

void drop_if(Variables& variables, auto matches) {
    std::erase_if(variables, [&](const std::string& v) { return matches(name_of(v)); });
}

bool is_locale(std::string_view name) {
    return name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_");
}

void restore(Variables& own, const Variables& before) {
    drop_if(own, is_locale);
    for (const auto& variable : before)
        if (is_locale(name_of(variable))) own.push_back(variable);
    if (const auto path = lookup(before, "PATH")) set(own, "PATH", *path);
}

}  // namespace

std::optional<std::string> lookup(const Variables& variables, std::string_view name) {
    for (const auto& variable : variables)
        if (variable.find('=') != std::string::npos && name_of(variable) == name)
            return variable.substr(name.size() + 1);
    return std::nullopt;
}

void set(Variables& variables, std::string_view name, std::string_view value) {
    drop_if(variables, [&](std::string_view other) { return other == name; });
    variables.push_back(std::string(name) + "=" + std::string(value));
}

Variables own_environment() {
    Variables variables;
    for (char** entry = environ; entry && *entry; ++entry) variables.emplace_back(*entry);
    return variables;
}

std::optional<Variables> environment_before_sudo() {
    const pid_t parent = ::getppid();
    const auto program = os::program_of(parent);
    if (!program || program->owner != 0 || program->path.filename() != "sudo") return std::nullopt;
    auto variables = os::environment_of(parent);
    if (!variables) return std::nullopt;
    return std::move(*variables);
}

Variables command_environment(Variables own, const std::optional<os::Identity>& invoker,
                              const std::optional<Variables>& before_sudo,
                              std::string_view sandbox) {
    if (invoker) {
        if (before_sudo) restore(own, *before_sudo);
        drop_if(own,
                [](std::string_view name) { return name.starts_with("SUDO_") || name == "MAIL"; });
        set(own, "HOME", invoker->home);
        set(own, "USER", invoker->user);
        set(own, "LOGNAME", invoker->user);
        set(own, "SHELL", invoker->shell.empty() ? "/bin/sh" : invoker->shell);
    }
    set(own, "SLUICE_SANDBOX", sandbox);
    return own;
}

}  // namespace sluice::run
