#include "input/devices/devices.hpp"

namespace gpucheck::application {

std::unique_ptr<device::Driver> make_cuda_driver() { return nullptr; }

}  // namespace gpucheck::application
