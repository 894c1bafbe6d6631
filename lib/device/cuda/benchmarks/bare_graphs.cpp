#include "device/cuda/benchmarks/bare_graphs.hpp"

#include <array>
#include <cuda_runtime_api.h>

#include "base/error.hpp"
#include "device/cuda/convert.hpp"
#include "device/cuda/kernels/launch_table.hpp"

namespace gpucheck::cuda::benchmarks {
namespace {

void require(cudaError_t error) {
  if (error != cudaSuccess) throw Error(cudaGetErrorString(error));
}

}  // namespace

device::GraphExec capture_bare(const device::KernelLaunch& launch, std::size_t nodes, device::Stream stream) {
  const void* function = find_function(launch.kernel);
  std::size_t count = launch.count;
  std::array<void*, 2> arguments{const_cast<void*>(launch.functor), &count};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  require(cudaStreamBeginCapture(raw(stream), cudaStreamCaptureModeGlobal));
  for (std::size_t i = 0; i < nodes; ++i) {
    require(cudaLaunchKernel(function, dim3(1), dim3(threads_per_block), arguments.data(), 0, raw(stream)));
  }
  require(cudaStreamEndCapture(raw(stream), &graph));
  require(cudaGraphInstantiate(&executable, graph,
                               cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority));
  require(cudaGraphDestroy(graph));
  return wrap<device::GraphExec>(executable);
}

void launch_bare(device::GraphExec executable, device::Stream stream) {
  require(cudaGraphLaunch(raw(executable), raw(stream)));
}

void destroy_bare(device::GraphExec executable) { require(cudaGraphExecDestroy(raw(executable))); }

}  // namespace gpucheck::cuda::benchmarks
