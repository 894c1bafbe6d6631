#pragma once

#include <vector>

#include "harness/case/case.hpp"

namespace gpucheck::cases {

/// Every case of the binary, sorted by name: one for each `cases/<group>/<case>.cpp`. An
/// explicit list that the build makes: nothing registers itself behind the linker's back.
/// @throws Error for a case whose name is not its file's.
std::vector<harness::Case> all();

}  // namespace gpucheck::cases
