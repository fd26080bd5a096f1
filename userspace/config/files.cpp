#include "config/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include "base/escape.h"
#include "config/document.h"

namespace sluice::config {

Result<std::vector<std::filesystem::path>> toml_files(const std::filesystem::path& dir) {
    std::vector<std::filesystem::path> out;
    std::error_code failed;
    std::filesystem::directory_iterator it(dir, failed);
    if (failed == std::errc::no_such_file_or_directory) return out;
    for (const std::filesystem::directory_iterator end; !failed && it != end;
         it.increment(failed)) {
        const auto& path = it->path();
        // Editors' leavings (.#x.toml) are not policy.
        if (path.extension() == ".toml" && !path.filename().string().starts_with('.'))
            out.push_back(path);
    }
    if (failed) return Error::from_errno("list " + printable(dir.string()), failed.value());
    std::ranges::sort(out);
    return out;
}

Result<std::string> read_text(const std::filesystem::path& path) {
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    const std::string doing = "read " + printable(path.string());
    if (!in) return Error::from_errno(doing, errno);
    std::string text;
    std::array<char, 65536> chunk;
    while (text.size() <= kMaxDocument && !in.eof()) {
        in.read(chunk.data(), chunk.size());
        if (in.bad()) return Error::from_errno(doing, errno != 0 ? errno : EIO);
        text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    }
    return text;
}

}  // namespace sluice::config
