// A line for the person who waits longer than a moment.
#pragma once

#include <string>
#include <thread>

namespace sluice::run {

// Says `line` once when the object still lives after a second. Empty: says nothing.
class Progress {
  public:
    explicit Progress(std::string line);

  private:
    std::jthread thread_;  // stopped and joined by its destructor
};

}  // namespace sluice::run
