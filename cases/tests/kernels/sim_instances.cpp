#include "cases/tests/kernels/suites.hpp"
#include "device/tests/simulated_backends.hpp"

namespace gpucheck::device::contract {
namespace {

GPUCHECK_INSTANTIATE_KERNELS_OF_CASES(sim, simulated_backends());

}  // namespace
}  // namespace gpucheck::device::contract
