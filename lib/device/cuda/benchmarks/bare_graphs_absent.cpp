#include "base/error.hpp"
#include "device/cuda/benchmarks/bare_graphs.hpp"

namespace gpucheck::cuda::benchmarks {
namespace {

[[noreturn]] void fail() { throw Error("a build without CUDA"); }

}  // namespace

device::GraphExec capture_bare(const device::KernelLaunch&, std::size_t, device::Stream) { fail(); }
void launch_bare(device::GraphExec, device::Stream) { fail(); }
void destroy_bare(device::GraphExec) { fail(); }

}  // namespace gpucheck::cuda::benchmarks
