#include "run/progress.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "run/say.h"

namespace sluice::run {

Progress::Progress(std::string line) {
    if (line.empty()) return;
    thread_ = std::jthread([line = std::move(line)](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        stopped.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
        if (!stop.stop_requested()) say(line);
    });
}

}  // namespace sluice::run
