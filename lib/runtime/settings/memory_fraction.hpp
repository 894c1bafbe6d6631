#pragma once

namespace gpucheck::runtime {

/// @throws UsageError, with PyTorch's text, unless 0 <= fraction <= 1.
void require_memory_fraction(double fraction);

}  // namespace gpucheck::runtime
