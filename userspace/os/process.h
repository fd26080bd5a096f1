// Processes: by pid, and by pidfd where the pid could be reused.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::os {

Result<UniqueFd> open_pidfd(pid_t pid);
// The pid behind a pidfd as this process's pid namespace sees it, from /proc/self/fdinfo. kNotFound
// when the process is gone, kInvalid when it is no pidfd or the process lies outside our namespace.
Result<pid_t> pid_of_pidfd(int pidfd);
Status signal_pidfd(int pidfd, int signal);

struct ProcessInfo {
    pid_t parent = 0;
    uid_t uid = 0;     // real
    std::string comm;  // chosen by the process: escape before printing
};
Result<ProcessInfo> process_info(pid_t pid);  // from /proc/PID/status
Result<bool> is_child_of(pid_t pid, pid_t parent);

// The environment it was started with. Later changes of its own don't show.
Result<std::vector<std::string>> environment_of(pid_t pid);
// The program it runs, and who owns that file. kNotFound for a kernel thread or a gone process.
struct Program {
    std::filesystem::path path;
    uid_t owner = 0;
};
Result<Program> program_of(pid_t pid);
Result<std::filesystem::path> own_program();  // /proc/self/exe

}  // namespace sluice::os
