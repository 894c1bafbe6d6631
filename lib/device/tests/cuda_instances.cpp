#include "device/cuda/cuda_driver.hpp"
#include "device/tests/suites.hpp"

namespace gpucheck::device::contract {
namespace {

const auto hardware = testing::Values(Backend{.label = "gpu0", .make_driver = cuda::make_driver, .hardware = true});

GPUCHECK_INSTANTIATE_CONTRACT(cuda, hardware);

}  // namespace
}  // namespace gpucheck::device::contract
