#pragma once

#include <string>
#include <vector>

#include "tensor/files/object.hpp"

namespace gpucheck::tensor::files {

/// An object as `torch.save` pickles it, and the storages that it names by their places, each once.
struct Pickle {
  std::string bytes;
  std::vector<Storage> storages;
};

/// @throws Error for what the format cannot hold: an undefined tensor, text that is not UTF-8, a key of a dictionary
/// that is neither number nor text, more than `max_depth` levels, and with PyTorch's text memory that is seen as
/// elements of two types.
[[nodiscard]] Pickle pickle_of(const Object& object);

}  // namespace gpucheck::tensor::files
