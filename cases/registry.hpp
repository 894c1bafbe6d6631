#pragma once

#include <vector>

#include "harness/case.hpp"

namespace gpucheck::cases {

/// Every case of the binary. An explicit list: nothing registers itself behind the
/// linker's back.
std::vector<harness::Case> all();

}  // namespace gpucheck::cases
