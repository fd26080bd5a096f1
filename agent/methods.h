// The protocol's methods over the registry. docs/protocol.md is the contract.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "control/dispatch.h"
#include "sandbox/kernel_ops.h"
#include "sandbox/manager.h"

namespace sluice::agent {

struct Identity {
    std::string version;
    std::string embedded;  // the one sandbox this agent is for; empty: the system agent
    std::chrono::steady_clock::time_point started;
};

struct Services {
    sandbox::Manager& manager;
    sandbox::KernelOps& kernel;
    Identity identity;
    std::function<void()> changed;  // runs after a sandbox came or went
};

// `services` must outlive the dispatcher's use.
void add_methods(control::Dispatcher& dispatcher, Services& services);

}  // namespace sluice::agent
