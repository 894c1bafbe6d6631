#include "tensor/core/errors.hpp"
#include "tensor/operators/factories/factories.hpp"

namespace gpucheck::tensor::operators::in_factories::empty {
namespace {

/// @throws NotImplementedError for what gpucheck has no tensors of.
Tensor make(const Sizes& size, std::optional<DType> dtype, std::optional<TensorLayout> layout,
            std::optional<Device> device, std::optional<bool> pin_memory, std::optional<MemoryFormat> memory_format) {
  if (layout.value_or(TensorLayout::strided) != TensorLayout::strided)
    throw NotImplementedError("empty: only strided tensors");
  if (pin_memory.value_or(false)) throw NotImplementedError("empty: pinned memory comes from Storage::pinned");
  if (memory_format.value_or(MemoryFormat::contiguous_format) != MemoryFormat::contiguous_format) {
    throw NotImplementedError("empty: only the contiguous format");
  }
  return make_empty(size, dtype.value_or(DType::float32), device.value_or(host));
}

Tensor make_full(const Sizes& size, const Scalar& number, std::optional<DType> dtype,
                 std::optional<TensorLayout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  const Tensor result = make(size, dtype.value_or(number.default_dtype()), layout, device, pin_memory, std::nullopt);
  fill_(result, number);
  return result;
}
Tensor make_zeros(const Sizes& size, std::optional<DType> dtype, std::optional<TensorLayout> layout,
                  std::optional<Device> device, std::optional<bool> pin_memory) {
  return make_full(size, 0, dtype.value_or(DType::float32), layout, device, pin_memory);
}
Tensor make_ones(const Sizes& size, std::optional<DType> dtype, std::optional<TensorLayout> layout,
                 std::optional<Device> device, std::optional<bool> pin_memory) {
  return make_full(size, 1, dtype.value_or(DType::float32), layout, device, pin_memory);
}

}  // namespace

std::vector<Entry> define() {
  return {EmptyMemoryFormat::entry<&make>({}), Full::entry<&make_full>({}), Zeros::entry<&make_zeros>({}),
          Ones::entry<&make_ones>({})};
}

}  // namespace gpucheck::tensor::operators::in_factories::empty
