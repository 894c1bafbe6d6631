#pragma once

#include <string>
#include <vector>

#include "files_support.hpp"

namespace gpucheck::tensor::files::test {

struct Sample {
  std::string name;
  Object object;
};

/// What gpucheck and PyTorch both save, and read from each other: scripts/record/serialized_tensors makes the very same
/// objects in PyTorch.
std::vector<Sample> samples(runtime::Runtime& device);

/// All that an object is, in one line that the script writes alike: elements as hexadecimal bytes, storages (#0) and
/// tensors (t0) by numbers in the order in which they first appear.
std::string description_of(const Object& object);

}  // namespace gpucheck::tensor::files::test
