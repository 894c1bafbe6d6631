#pragma once

#include <span>

#include "golden/golden.hpp"

namespace gpucheck {

/// The golden files of this source folder, as they were when the binary was built.
std::span<const golden::GoldenSet::File> embedded_goldens();

}  // namespace gpucheck
