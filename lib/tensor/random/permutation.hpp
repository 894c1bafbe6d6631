#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/random/distributions.hpp"

namespace gpucheck::tensor::ops {

/// New memory with the numbers 0 to count - 1 in the order that PyTorch's `randperm` draws on
/// this device. On the current stream. Takes scratch memory. @throws as `rand` does.
[[nodiscard]] Buffer<std::int64_t> randperm(Generator& generator, std::size_t count);

}  // namespace gpucheck::tensor::ops
