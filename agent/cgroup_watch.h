// Tells when a cgroup has no process left, from cgroup.events by inotify.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <filesystem>
#include <functional>

#include "base/result.h"

namespace sluice::agent {

class CgroupWatch {
  public:
    explicit CgroupWatch(boost::asio::io_context& io) : events_(io) {}
    // `changed` runs whenever cgroup.events changed, and once now. It looks for itself.
    Status start(const std::filesystem::path& cgroup, std::function<void()> changed);

  private:
    void wait();
    boost::asio::posix::stream_descriptor events_;
    std::function<void()> changed_;
};

}  // namespace sluice::agent
