#pragma once

#include <vector>

#include "tensor/call/entry.hpp"

namespace gpucheck::tensor::operators {

/// What the sources below this folder define: written by scripts/cmake/operator_registry.cmake.
[[nodiscard]] std::vector<Entry> all();

}  // namespace gpucheck::tensor::operators
