// The kernel's ring buffer, drained into the debug log. What counts is the denial table.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.h"
#include "kernel/enforcer.h"

namespace sluice::agent {

class EventLog {
  public:
    EventLog(boost::asio::io_context& io, kernel::Enforcer& enforcer)
        : ready_(io), enforcer_(enforcer) {}
    Status start();

  private:
    void wait();
    boost::asio::posix::stream_descriptor ready_;  // a copy: the enforcer keeps its own
    kernel::Enforcer& enforcer_;
};

}  // namespace sluice::agent
