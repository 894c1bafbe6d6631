#include "tensor/files/pickle_vocabulary.hpp"

#include <array>

namespace gpucheck::tensor::files {
namespace {

struct Row {
  Global global;
  GlobalName name;
};

constexpr Row storage_row(DType dtype, std::string_view name) {
  return {{Meaning::storage_type, dtype}, {"torch", name}};
}

constexpr std::array<Row, 18> rows{{
    {{Meaning::ordered_dictionary}, {"collections", "OrderedDict"}},
    {{Meaning::rebuild_tensor}, {"torch._utils", "_rebuild_tensor_v2"}},
    {{Meaning::rebuild_parameter}, {"torch._utils", "_rebuild_parameter"}},
    {{Meaning::size}, {"torch", "Size"}},
    // Protocol 2 keeps the module's name in Python 2.
    {{Meaning::complex}, {"__builtin__", "complex"}},
    storage_row(DType::uint8, "ByteStorage"),
    storage_row(DType::int8, "CharStorage"),
    storage_row(DType::int16, "ShortStorage"),
    storage_row(DType::int32, "IntStorage"),
    storage_row(DType::int64, "LongStorage"),
    storage_row(DType::float16, "HalfStorage"),
    storage_row(DType::float32, "FloatStorage"),
    storage_row(DType::float64, "DoubleStorage"),
    storage_row(DType::complex64, "ComplexFloatStorage"),
    storage_row(DType::complex128, "ComplexDoubleStorage"),
    storage_row(DType::boolean, "BoolStorage"),
    storage_row(DType::bfloat16, "BFloat16Storage"),
    // PyTorch, too, reads a storage without a type as one of bytes.
    {{Meaning::storage_type, DType::uint8}, {"torch.storage", "UntypedStorage"}},
}};

}  // namespace

GlobalName name_of(Global global) noexcept {
  for (const Row& row : rows) {
    if (row.global.meaning != global.meaning) continue;
    if (global.meaning != Meaning::storage_type || row.global.dtype == global.dtype) return row.name;
  }
  return {};
}

std::optional<Global> find_global(GlobalName name) noexcept {
  for (const Row& row : rows) {
    if (row.name == name) return row.global;
  }
  return std::nullopt;
}

}  // namespace gpucheck::tensor::files
