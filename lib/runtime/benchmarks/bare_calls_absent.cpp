#include <stdexcept>

#include "runtime/benchmarks/bare_calls.hpp"

namespace gpucheck::benchmarks {

BareCalls bare_calls() { throw std::logic_error("this build has no CUDA"); }

std::unique_ptr<device::Driver> make_gpu_driver() { return nullptr; }

}  // namespace gpucheck::benchmarks
