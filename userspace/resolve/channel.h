// A c-ares channel and its event loop. Asks one question at a time of one type; knows which server
// answered, which c-ares itself does not tell.
#pragma once

#include <ares.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "resolve/answer.h"
#include "resolve/resolver.h"

namespace sluice::resolve {

struct Reply {
    int status = ARES_SUCCESS;             // ARES_*; ARES_ECANCELLED: the deadline came first
    std::span<const std::uint8_t> packet;  // valid during the call
    std::string server;                    // "127.0.0.1", "[::1]:5353"; empty: nobody answered
};

class Channel {
  public:
    using Done = std::function<void(const Reply&)>;

    // On the heap: c-ares keeps its address. Fails on a `servers` entry that it can't read and when
    // c-ares can't start; a missing resolv.conf means 127.0.0.1.
    static Result<std::unique_ptr<Channel>> open(const Options& options);
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    ~Channel();

    // `done` is called once: from here, from run() or from the destructor. It may ask again.
    void query(const std::string& name, RecordType type, Done done);

    // Until every question is answered or `deadline` has come; the rest is cancelled then.
    void run(std::chrono::steady_clock::time_point deadline);

  private:
    struct Question;

    Channel() = default;
    Status start(const Options& options);
    bool wait(std::chrono::steady_clock::time_point deadline);

    static void on_state(void* self, ares_socket_t fd, int readable, int writable);
    static void on_answer(void* question, int status, int timeouts, unsigned char* data, int size);
    static ares_socket_t make_socket(int family, int type, int protocol, void* self);
    static ares_ssize_t receive(ares_socket_t fd, void* buffer, size_t size, int flags,
                                sockaddr* from, ares_socklen_t* from_size, void* self);

    ares_channel channel_ = nullptr;
    std::map<ares_socket_t, short> interest_;  // poll events by socket
    ares_socket_t last_read_ = ARES_SOCKET_BAD;
    std::size_t open_questions_ = 0;
};

}  // namespace sluice::resolve
