// Random policies over a small world, so that prefixes nest, names share addresses and denies hit.
#pragma once

#include <rapidcheck.h>

#include "policy/policy.h"
#include "policy/resolution.h"

namespace sluice::test {

struct World {
    Policy policy;
    Resolution resolution;
};

rc::Gen<IpAddress> any_address();  // of the small world, half of them in the policy's networks
rc::Gen<PortSet> any_ports();
rc::Gen<Endpoint> any_endpoint();
rc::Gen<World> any_world();
rc::Gen<std::uint16_t> any_port();

}  // namespace sluice::test
