#include "dns_lab.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace sluice::test {

namespace {

// A test can't go on without its server.
void require(bool good, const char* what) {
    if (good) return;
    std::perror(what);
    std::abort();
}

}  // namespace

TempDir::TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    require(::mkdtemp(pattern.data()) != nullptr, "mkdtemp");
    path_ = pattern;
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempDir::write(std::string_view name, std::string_view text) const {
    const auto file = path_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
}

DnsLab::DnsLab(std::string_view script) {
    const auto file = dir_.write("script.json", script);
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    require(::pipe2(to.data(), O_CLOEXEC) == 0 && ::pipe2(from.data(), O_CLOEXEC) == 0, "pipe2");
    child_ = ::fork();
    require(child_ >= 0, "fork");
    if (child_ == 0) {
        ::dup2(to[0], STDIN_FILENO);
        ::dup2(from[1], STDOUT_FILENO);
        ::execlp("python3", "python3", "-B", SLUICE_DNS_SERVER, file.c_str(), nullptr);
        ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = ::fdopen(to[1], "w");
    out_ = ::fdopen(from[0], "r");
    port_ = std::atoi(read_line().c_str());
    require(port_ > 0, "start tests/lab/dns_server.py");
}

DnsLab::~DnsLab() {
    std::fclose(in_);  // the server ends with its stdin
    std::fclose(out_);
    ::waitpid(child_, nullptr, 0);
}

std::string DnsLab::read_line() {
    std::string line;
    for (int c = std::fgetc(out_); c != EOF && c != '\n'; c = std::fgetc(out_)) {
        line.push_back(static_cast<char>(c));
    }
    return line;
}

std::size_t DnsLab::asked(std::string_view name, std::string_view type,
                          std::string_view transport) {
    std::fputs("queries\n", in_);
    std::fflush(in_);
    std::size_t count = 0;
    for (const auto& query : nlohmann::json::parse(read_line())) {
        const auto is = [&](std::size_t i, std::string_view wanted) {
            return wanted.empty() || query[i].get<std::string>() == wanted;
        };
        if (is(0, name) && is(1, type) && is(2, transport)) ++count;
    }
    return count;
}

}  // namespace sluice::test
