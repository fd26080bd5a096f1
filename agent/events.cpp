#include "agent/events.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <cstring>

#include "base/escape.h"
#include "base/unique_fd.h"
#include "policy/address.h"
#include "policy/reason.h"

namespace sluice::agent {

namespace {

std::string text_of(const char* bytes, std::size_t size) {
    return printable({bytes, strnlen(bytes, size)});
}

void log(const sluice_event& event) {
    IpAddress address;
    std::memcpy(address.bytes.data(), event.what.addr, address.bytes.size());
    spdlog::debug("refused {} port {} ({}) pid {} {} {}", address.to_string(),
                  ntohs(event.what.port_be), reason_id(event.what.reason), event.pid,
                  text_of(event.comm, sizeof event.comm), text_of(event.name, sizeof event.name));
}

}  // namespace

Status EventLog::start() {
    UniqueFd copy(fcntl(enforcer_.events_fd(), F_DUPFD_CLOEXEC, 0));
    if (!copy) return Error::from_errno("copy the event descriptor");
    boost::system::error_code ec;
    ready_.assign(copy.get(), ec);
    if (ec) return Error::failed("watch the kernel's events: " + ec.message());
    (void)copy.release();
    wait();
    return {};
}

void EventLog::wait() {
    ready_.async_wait(boost::asio::posix::descriptor_base::wait_read,
                      [this](boost::system::error_code ec) {
                          if (ec) return;
                          if (auto read = enforcer_.read_events(log); !read) {
                              spdlog::warn(
                                  "read the kernel's events: {}; they are no longer read, "
                                  "denials are counted as before",
                                  read.error().message);
                              return;
                          }
                          wait();
                      });
}

}  // namespace sluice::agent
