#include "os/process.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <system_error>

#include "os/files.h"

namespace sluice::os {
namespace {

constexpr std::size_t kProcLimit = 4U << 20;

std::string proc(pid_t pid, std::string_view file) {
    return "/proc/" + std::to_string(pid) + "/" + std::string(file);
}

// The text after "KEY:" in a /proc status-like file, without leading blanks.
std::optional<std::string_view> field(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (line.starts_with(key)) {
            const auto start = line.find_first_not_of(" \t", key.size());
            return start == std::string_view::npos ? std::string_view() : line.substr(start);
        }
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return std::nullopt;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    return number;
}

}  // namespace

Result<UniqueFd> open_pidfd(pid_t pid) {
    UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
    if (fd) return fd;
    Error error = Error::from_errno("open a pidfd of process " + std::to_string(pid));
    if (error.sys_errno == ESRCH) error.code = Errc::kNotFound;
    return error;
}

Result<pid_t> pid_of_pidfd(int pidfd) {
    SLUICE_ASSIGN(const std::string info,
                  read_file("/proc/self/fdinfo/" + std::to_string(pidfd), kProcLimit));
    const auto text = field(info, "Pid:");
    const auto pid = text ? number_of<pid_t>(*text) : std::nullopt;
    if (!pid) return Error::invalid("the descriptor is no pidfd");
    if (*pid == 0) return Error::invalid("the pidfd's process is outside our pid namespace");
    if (*pid < 0) return Error{Errc::kNotFound, ESRCH, "the pidfd's process is gone"};
    return *pid;
}

Status signal_pidfd(int pidfd, int signal) {
    if (::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0U) == 0) return {};
    Error error = Error::from_errno("send signal " + std::to_string(signal));
    if (error.sys_errno == ESRCH) error.code = Errc::kNotFound;
    return error;
}

Result<ProcessInfo> process_info(pid_t pid) {
    SLUICE_ASSIGN(const std::string status, read_file(proc(pid, "status"), kProcLimit));
    SLUICE_ASSIGN(std::string comm, read_file(proc(pid, "comm"), kProcLimit));
    if (comm.ends_with('\n')) comm.pop_back();
    // Name: comes first and has its control characters escaped by the kernel: no false match.
    const auto parent = field(status, "PPid:");
    const auto uid = field(status, "Uid:");
    const auto parent_pid = parent ? number_of<pid_t>(*parent) : std::nullopt;
    const auto real_uid = uid ? number_of<uid_t>(*uid) : std::nullopt;
    if (!parent_pid || !real_uid)
        return Error::failed("unexpected content of '" + proc(pid, "status") + "'");
    return ProcessInfo{.parent = *parent_pid, .uid = *real_uid, .comm = std::move(comm)};
}

Result<bool> is_child_of(pid_t pid, pid_t parent) {
    SLUICE_ASSIGN(const auto info, process_info(pid));
    return info.parent == parent;
}

Result<std::vector<std::string>> environment_of(pid_t pid) {
    SLUICE_ASSIGN(const std::string block, read_file(proc(pid, "environ"), kProcLimit));
    std::vector<std::string> variables;
    for (std::size_t start = 0; start < block.size();) {
        const std::size_t end = std::min(block.find('\0', start), block.size());
        if (end > start) variables.push_back(block.substr(start, end - start));
        start = end + 1;
    }
    return variables;
}

Result<Program> program_of(pid_t pid) {
    const std::string link = proc(pid, "exe");
    struct stat found {};
    std::error_code error;
    const auto path = std::filesystem::read_symlink(link, error);
    if (error) return Error::from_errno("read '" + link + "'", error.value());
    // Through the magic link: the file that runs, even if its path now names another one.
    if (::stat(link.c_str(), &found) != 0) return Error::from_errno("stat '" + link + "'");
    return Program{.path = path, .owner = found.st_uid};
}

Result<std::filesystem::path> own_program() {
    SLUICE_ASSIGN(const auto program, program_of(::getpid()));
    return program.path;
}

}  // namespace sluice::os
