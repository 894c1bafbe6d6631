#pragma once

#include <cstdint>
#include <optional>

namespace gpucheck::cuda::test {

/// The number of words for which `radius_of` is not what CUDA's `logf` and `sqrtf` give, bit for bit, on the current
/// GPU; nothing where there is none.
std::optional<std::uint64_t> words_of_another_radius();

}  // namespace gpucheck::cuda::test
