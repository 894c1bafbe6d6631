#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/case/context.hpp"

namespace gpucheck::harness {

/// The library by which the driver reports on its GPUs (NVML). A case that needs a device and, of all libraries, this
/// one alone looks at its GPU through it and opens no device: it runs where CUDA does not start, too. On simulated
/// devices a recording stands in for it.
inline constexpr std::string_view management_library = "libnvidia-ml.so.1";
[[nodiscard]] bool opens_no_device(const Case& test_case);

/// Whether the process that runs the case needs no context on its devices: it opens none, or a program of its own does,
/// which a context besides would take memory from, or keep out of a GPU that is for one process at a time.
[[nodiscard]] bool needs_no_context(const Case& test_case);

/// The reason to skip the context's case, if something it needs is not there. A case
/// that needs no device makes no device call here, and one that needs no memory opens
/// no device. @throws DeviceError when the device cannot tell.
std::optional<std::string> unmet_need(Context& context);

/// "needs 2 devices, 1 is there"
std::string too_few_devices(int needed, int there);

}  // namespace gpucheck::harness
