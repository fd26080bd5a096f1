#include "agent/cgroup_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <boost/asio/post.hpp>

#include "base/unique_fd.h"

namespace sluice::agent {

Status CgroupWatch::start(const std::filesystem::path& cgroup, std::function<void()> changed) {
    UniqueFd fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!fd) return Error::from_errno("make an inotify instance");
    const auto file = cgroup / "cgroup.events";
    if (inotify_add_watch(fd.get(), file.c_str(), IN_MODIFY) < 0) {
        return Error::from_errno("watch '" + file.string() + "'");
    }
    boost::system::error_code ec;
    events_.assign(fd.get(), ec);
    if (ec) return Error::failed("watch '" + file.string() + "': " + ec.message());
    (void)fd.release();
    changed_ = std::move(changed);
    boost::asio::post(events_.get_executor(), changed_);
    wait();
    return {};
}

void CgroupWatch::wait() {
    events_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                       [this](boost::system::error_code ec) {
                           if (ec) return;
                           std::array<char, 4096> drain;  // NOLINT: filled by read
                           while (::read(events_.native_handle(), drain.data(), drain.size()) > 0) {
                           }
                           changed_();
                           wait();
                       });
}

}  // namespace sluice::agent
