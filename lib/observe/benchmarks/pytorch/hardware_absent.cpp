#include "hardware.hpp"

namespace peers {

std::unique_ptr<gpucheck::device::Driver> make_hardware_driver() { return nullptr; }

}  // namespace peers
