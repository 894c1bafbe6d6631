#include "device/tests/simulated_backends.hpp"
#include "device/tests/suites.hpp"

namespace gpucheck::device::contract {
namespace {

GPUCHECK_INSTANTIATE_CONTRACT(sim, simulated_backends());

}  // namespace
}  // namespace gpucheck::device::contract
