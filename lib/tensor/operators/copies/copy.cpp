#include <cstring>

#include "tensor/call/structured.hpp"
#include "tensor/core/item.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/copies/kernels/copying.hpp"
#include "tensor/operators/copies/support.hpp"
#include "tensor/transfers/transfer.hpp"

namespace gpucheck::tensor::operators::in_copies::copy {
namespace {

namespace kernels = device::kernels;

/// The type that holds what both do, as far as the destination can keep it.
DType computed_for(DType to, DType from) {
  const auto is_wide = [](DType dtype) { return dtype == DType::float64 || dtype == DType::complex128; };
  if (is_complex(to) && is_complex(from)) return is_wide(to) || is_wide(from) ? DType::complex128 : DType::complex64;
  if (is_complex(to) || is_complex(from)) return DType::complex128;
  if (is_integral(to, true) && is_integral(from, true)) return DType::int64;
  // float64 holds more whole numbers than float32.
  return is_wide(to) || is_wide(from) ? DType::float64 : DType::float32;
}

void copy_elements(const Tensor& self, const Tensor& source, DType computed) {
  const Loop loop({Form::in_place, self}, {source}, {.computed_dtype = computed, .is_copy = true});
  with_number<float, double, std::int64_t, kernels::Complex<float>, kernels::Complex<double>>(
      computed, "copy_", [&]<typename Number>(std::type_identity<Number>) {
        run_pointwise<1, Number>(loop, kernels::CopyElement<Number>{});
      });
}

/// Both in one memory.
void copy_within(const Tensor& self, const Tensor& source) {
  if (self.dtype() != source.dtype()) return copy_elements(self, source, computed_for(self.dtype(), source.dtype()));
  if (self.sizes() == source.sizes() && self.is_contiguous() && source.is_contiguous()) return copy_bytes(self, source);
  const Tensor bits = as_bits(self);
  copy_elements(bits, as_bits(source), bits.dtype());
}

/// Between the host and a device, or two devices: bytes cross, in the order in which they lie. What is converted or
/// laid out anew is so on the side where PyTorch does it: where the source is, but for a device's result.
void copy_between(const Tensor& self, const Tensor& source, bool non_blocking) {
  const bool has_same_bytes = self.dtype() == source.dtype() && self.sizes() == source.sizes();
  if (has_same_bytes && self.is_contiguous() && source.is_contiguous()) return transfer(self, source, non_blocking);
  Tensor sent = make_empty(self.sizes(), self.dtype(), source.device());
  copy_within(sent, source);
  if (self.is_contiguous()) return transfer(self, sent, non_blocking);
  const Tensor received = make_empty(self.sizes(), self.dtype(), self.device());
  transfer(received, sent, non_blocking);
  copy_within(self, received);
}

Tensor copy_in_place(const Tensor& self, const Tensor& source, bool non_blocking) {
  if (self.is_same(source)) return self;
  if (self.device() == source.device()) {
    copy_within(self, source);
  } else {
    if (broadcast_sizes(self.sizes(), source.sizes()) != self.sizes()) {
      throw Error("output with shape " + to_text(self.sizes()) + " doesn't match the broadcast shape " +
                  to_text(broadcast_sizes(self.sizes(), source.sizes())));
    }
    if (self.count() > 0) copy_between(self, source, non_blocking);
  }
  self.count_write();
  return self;
}

/// New memory for as many elements, in the order of dimensions that the tensor has where it has no gaps.
Tensor empty_like(const Tensor& self, DType dtype, Device device) {
  const bool is_dense = extent_of(self.geometry()) == self.count() && !may_overlap_itself(self.geometry());
  return make_empty_strided(self.sizes(), is_dense ? self.strides() : contiguous_strides(self.sizes()), dtype, device);
}

Tensor make_clone(const Tensor& self, std::optional<MemoryFormat> format) {
  const bool is_contiguous = format == MemoryFormat::contiguous_format;
  const Tensor result = is_contiguous ? make_empty(self.sizes(), self.dtype(), self.device())
                                      : empty_like(self, self.dtype(), self.device());
  copy_(result, self);
  return result;
}

Tensor make_contiguous(const Tensor& self, MemoryFormat) {
  return self.is_contiguous() ? self : make_clone(self, MemoryFormat::contiguous_format);
}

Tensor make_copy(const Tensor& self, std::optional<DType> dtype, std::optional<TensorLayout>,
                 std::optional<Device> device, std::optional<bool>, bool non_blocking, std::optional<MemoryFormat>) {
  const Tensor result = empty_like(self, dtype.value_or(self.dtype()), device.value_or(self.device()));
  copy_(result, self, non_blocking);
  return result;
}

Scalar take_item(const Tensor& self) {
  if (self.device().is_host() || self.count() != 1) return host_item(self);
  const Tensor element = make_empty({}, self.dtype(), host);
  transfer(element, self, false);
  return host_item(element);
}

}  // namespace

std::vector<Entry> define() {
  return {CopyInPlace::entry<&copy_in_place>({}), Clone::entry<&make_clone>({}),
          Contiguous::entry<&make_contiguous>({}), ToCopy::entry<&make_copy>({}), Item::entry<&take_item>({})};
}

}  // namespace gpucheck::tensor::operators::in_copies::copy

namespace gpucheck::tensor {

Tensor to(const Tensor& self, DType dtype) { return self.dtype() == dtype ? self : ToCopy{}(self, dtype); }
Tensor to(const Tensor& self, Device device, bool non_blocking) {
  if (self.device() == device) return self;
  return ToCopy{}(self, std::nullopt, std::nullopt, device, std::nullopt, non_blocking);
}

}  // namespace gpucheck::tensor
