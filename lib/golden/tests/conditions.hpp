#pragma once

#include "golden/golden.hpp"

namespace gpucheck::golden {

/// What a run compares under: its device, and its allocator.
inline const Conditions on_sim{"sim"};
inline const Conditions on_async{.device_kind = "sim", .allocator = "async"};
inline const Conditions on_cuda{"cuda"};

}  // namespace gpucheck::golden
