#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tensor/files/memory_budget.hpp"
#include "tensor/files/object.hpp"

namespace gpucheck::tensor::files {

/// How a pickle names a storage.
struct StorageName {
  DType dtype = DType::uint8;
  std::string key;       ///< digits
  std::string location;  ///< where it was: "cpu", "cuda:0"
  std::uint64_t count = 0;
};

/// Finds or loads it. @throws Error.
using StorageLoader = std::function<Storage(const StorageName&)>;

/// Reads what `torch.save` pickled: plain containers, numbers, texts, tensors and storages. Nothing is executed: of
/// Python's names those in pickle_vocabulary.cpp are known, and any other is refused. Attributes of an OrderedDict
/// (PyTorch's `_metadata`) are left out, and so is whether a tensor requires gradients, which tensors here do not know.
/// @throws Error that names the file and the place in the pickle; as the loader does.
[[nodiscard]] Object read_pickle(std::string_view bytes, MemoryBudget& budget, const StorageLoader& loader);

}  // namespace gpucheck::tensor::files
