#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/runtime.hpp"

/// Memory that the vendor's libraries work in: a block of the runtime's allocator for each stream and thread, kept
/// until it is cleared or the runtime ends. The streams and threads of a process never share one. Thread-safe.
namespace gpucheck::tensor {

struct Workspace {
  void* data = nullptr;  ///< null for none
  std::uint64_t bytes = 0;
};

/// How many bytes PyTorch gives cuBLAS: what CUBLAS_WORKSPACE_CONFIG says, ":SIZE:COUNT" in KiB, any number of times;
/// where it says nothing of that form, 32 MiB on devices of compute capability 9.0, and 8320 KiB on others.
/// @param config null where there is none.
[[nodiscard]] std::uint64_t workspace_bytes(const char* config, int capability_major, int capability_minor);

/// The workspace of a stream and the calling thread, which is the stream's current one: made by the first call, in the
/// current pool of the allocator. The environment is asked when one is made. A thread gives its place to one that
/// begins later. @throws OutOfMemoryError, DeviceError.
[[nodiscard]] Workspace workspace_for_current_stream(runtime::Runtime& runtime);

/// Gives the memory of all back to the allocator: `torch._C._cuda_clearCublasWorkspaces`. No other thread may be in a
/// product meanwhile.
void clear_workspaces(runtime::Runtime& runtime);

/// Another text for workspaces to be made for this runtime than the environment's; nothing: the environment's again.
void set_workspace_config(runtime::Runtime& runtime, std::optional<std::string> config);

}  // namespace gpucheck::tensor
