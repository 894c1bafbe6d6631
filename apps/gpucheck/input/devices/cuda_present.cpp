#include "device/cuda/cuda_driver.hpp"
#include "input/devices/devices.hpp"

namespace gpucheck::application {

std::unique_ptr<device::Driver> make_cuda_driver() { return cuda::make_driver(); }

}  // namespace gpucheck::application
