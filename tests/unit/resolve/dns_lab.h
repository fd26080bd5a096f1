// A scripted DNS server (tests/lab/dns_server.py) as a child of the test.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace sluice::test {

// A folder of its own, removed with its contents.
class TempDir {
  public:
    TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    // Writes a file in it; its path.
    std::filesystem::path write(std::string_view name, std::string_view text) const;

  private:
    std::filesystem::path path_;
};

class DnsLab {
  public:
    explicit DnsLab(std::string_view script);  // JSON; aborts the test when it can't start
    DnsLab(const DnsLab&) = delete;
    DnsLab& operator=(const DnsLab&) = delete;
    ~DnsLab();

    [[nodiscard]] std::string server() const { return "127.0.0.1:" + std::to_string(port_); }
    // How often `name` was asked, of one type or of any (""), over "udp", "tcp" or any ("").
    std::size_t asked(std::string_view name, std::string_view type = "",
                      std::string_view transport = "");

  private:
    std::string read_line();

    TempDir dir_;
    pid_t child_ = -1;
    std::FILE* in_ = nullptr;   // the server's stdin
    std::FILE* out_ = nullptr;  // the server's stdout
    int port_ = 0;
};

}  // namespace sluice::test
