#pragma once

#include <string>
#include <vector>

#include "telemetry/network/network_files.hpp"

/// How GPUs and adapters reach each other without the host's memory (GPUDirect RDMA).
namespace gpucheck::telemetry {

/// The way from a GPU to an adapter, in the terms of nvidia-smi's topology matrix:
/// PIX: through one PCIe switch at most; PXB: through several, and no host bridge; PHB: through one host bridge;
/// NODE: between the host bridges of one NUMA node; SYS: between NUMA nodes.
/// @return "" where one of the paths is empty.
[[nodiscard]] std::string distance(const std::string& gpu_path, const std::string& gpu_node,
                                   const std::string& adapter_path, const std::string& adapter_node);

/// For each GPU of NVIDIA's on the bus the adapters that are nearest: "0000:1b:00.0: mlx5_0, PIX".
[[nodiscard]] std::vector<std::string> nearest_adapters(const NetworkFiles& network);

/// What lets an adapter reach a GPU's memory.
struct GpuDirect {
  bool has_gpu = false;            ///< one of NVIDIA's is on the bus
  bool has_driver = false;         ///< and its driver is loaded
  std::vector<std::string> ways;   ///< "nvidia_peermem", "nv_peer_mem", "dma-buf"
  std::vector<std::string> hints;  ///< why there is none, for each of them
};
/// dma-buf needs NVIDIA's open kernel modules and a kernel from 5.12 on.
[[nodiscard]] GpuDirect gpudirect(const NetworkFiles& network);

}  // namespace gpucheck::telemetry
