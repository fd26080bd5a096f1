// What each subcommand does, after its words are parsed. Each returns the process's exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice::cli {

struct ListOptions {
    std::optional<std::string> name;
    bool json = false;
};
int list_command(const ListOptions& options);

int status_command(bool json);

struct ExplainOptions {
    std::vector<std::string> words;  // [NAME] HOST:PORT
    std::optional<std::string> sandbox;
    bool json = false;
};
int explain_command(const ExplainOptions& options);

struct AddOptions {
    std::vector<std::string> entries;
    std::optional<std::string> policy;
    bool json = false;
};
int add_command(const AddOptions& options);

int check_command(const std::string& file, bool json);
int doctor_command(bool json);

struct PurgeOptions {
    bool force = false;
    bool yes = false;
    bool json = false;
};
int purge_command(const PurgeOptions& options);

}  // namespace sluice::cli
