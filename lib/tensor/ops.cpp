#include "tensor/ops.hpp"

#include <algorithm>
#include <type_traits>

#include "base/rounding.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/kernels/support/vectors.hpp"
#include "device/launch.hpp"
#include "runtime/memory/buffer.hpp"
#include "tensor/kernels/checks.hpp"
#include "tensor/kernels/layout.hpp"
#include "tensor/kernels/reduce.hpp"

namespace gpucheck::tensor::ops {
namespace {

namespace kernels = device::kernels;

template <typename Functor>
void launch(Runtime& runtime, const Functor& functor, std::size_t count, device::Stream stream) {
  device::check(device::launch(runtime.device(), functor, count, stream), Functor::name);
}

template <typename Functor>
void launch_sum(Runtime& runtime, const Functor& functor, device::Stream stream) {
  const kernels::SumShape& shape = functor.shape;
  device::check(device::launch(runtime.device(), functor, shape.count(), shape.block(), stream), Functor::name);
}

void require_stride(std::size_t stride) {
  if (stride == 0) throw Error("A stride of 0 elements would visit the first element for ever. Use 1 or more.");
}

}  // namespace

template <typename T>
void fill(Runtime& runtime, T* out, std::size_t count, T value, device::Stream stream) {
  if (kernels::has_whole_vectors(out)) {
    launch(runtime, kernels::FillVectors<T>{out, count, value}, divide_up(count, kernels::Vector<T>::width), stream);
  } else {
    launch(runtime, kernels::Fill<T>{out, value}, count, stream);
  }
}

template <typename T>
void iota(Runtime& runtime, T* out, std::size_t count, T start, device::Stream stream) {
  launch(runtime, kernels::Iota<T>{out, start}, count, stream);
}

template <typename T>
void add(Runtime& runtime, const T* in, T* out, std::size_t count, T value, device::Stream stream) {
  launch(runtime, kernels::AddScalar<T>{in, out, value}, count, stream);
}

template <typename From, typename To>
void convert(Runtime& runtime, const From* in, To* out, std::size_t count, device::Stream stream) {
  launch(runtime, kernels::Convert<From, To>{in, out}, count, stream);
}

template <typename T>
void copy_strided(Runtime& runtime, const StridedMatrix<T>& in, T* out, device::Stream stream) {
  const std::size_t count = in.rows * in.columns;
  if (count == 0) return;
  launch(runtime, kernels::CopyStrided<T>{in.data, in.columns, in.row_stride, in.column_stride, out}, count, stream);
}

template <typename T>
void add(Runtime& runtime, const T* a, const T* b, T* out, std::size_t count, device::Stream stream) {
  launch(runtime, kernels::AddArrays<T>{a, b, out, 1}, count, stream);
}

template <typename T>
void add_value(Runtime& runtime, const T* in, const T* value, T* out, std::size_t count, device::Stream stream) {
  launch(runtime, kernels::AddArrays<T>{in, value, out, 0}, count, stream);
}

void sum(Runtime& runtime, const std::int64_t* in, std::size_t count, std::int64_t* out, device::Stream stream) {
  device::check(runtime.device().fill(out, 0, sizeof(*out), stream), "fill");
  if (count == 0) return;
  launch_sum(runtime, kernels::SumIntegers{in, count, reinterpret_cast<std::uint64_t*>(out)}, stream);
}

void sum(Runtime& runtime, const float* in, std::size_t count, double* out, device::Stream stream) {
  if (count == 0) return device::check(runtime.device().fill(out, 0, sizeof(*out), stream), "fill");
  const std::size_t parts = kernels::sum_shape<float>(count).blocks;
  if (parts == 1) return launch_sum(runtime, kernels::SumPartially<float>{in, count, out}, stream);
  Buffer<double> partial(runtime, parts, stream);
  launch_sum(runtime, kernels::SumPartially<float>{in, count, partial.data()}, stream);
  launch_sum(runtime, kernels::SumPartially<double>{partial.data(), parts, out, kernels::last_sum_shape(parts)},
             stream);
}

template <typename T>
void fill_strided(Runtime& runtime, T* data, std::size_t count, T value, std::size_t stride, device::Stream stream,
                  Claim claim) {
  require_stride(stride);
  if (stride == 1) return fill(runtime, data, count, value, stream);
  launch(runtime, kernels::FillStrided<T>{data, count, stride, value, claim}, divide_up(count, stride), stream);
}

template <typename T>
void verify(Runtime& runtime, const T* data, std::size_t count, T value, std::size_t stride, Tally* tally,
            device::Stream stream, Claim claim) {
  require_stride(stride);
  if (stride == 1 && kernels::has_whole_vectors(data)) {
    const std::size_t vectors = divide_up(count, kernels::Vector<T>::width);
    launch(runtime, kernels::VerifyVectors<T>{data, count, value, tally}, kernels::sharing_invocations(vectors),
           stream);
  } else {
    launch(runtime, kernels::VerifyStrided<T>{data, count, stride, value, tally, claim},
           kernels::sharing_invocations(divide_up(count, stride)), stream);
  }
}

template <typename T>
void assert_async(Runtime& runtime, const T* values, std::size_t count, device::Stream stream) {
  if (count == 0) throw Error("Boolean value of Tensor with no values is ambiguous");
  if (count > 1) throw Error("Boolean value of Tensor with more than one value is ambiguous");
  using Value = std::conditional_t<std::is_same_v<T, std::complex<float>>, kernels::ComplexFloat, T>;
  static_assert(sizeof(Value) == sizeof(T));
  launch(runtime, kernels::RequireNonzero<Value>{reinterpret_cast<const Value*>(values)}, 1, stream);
}

template <typename T>
void index(Runtime& runtime, const T* in, std::size_t rows, std::size_t row_elements, const std::int64_t* indices,
           std::size_t index_count, T* out, device::Stream stream) {
  launch(runtime, kernels::IndexRows<T>{in, static_cast<std::int64_t>(rows), row_elements, indices, out},
         index_count * row_elements, stream);
}

template void fill(Runtime&, std::uint8_t*, std::size_t, std::uint8_t, device::Stream);
template void fill(Runtime&, std::int32_t*, std::size_t, std::int32_t, device::Stream);
template void fill(Runtime&, std::int64_t*, std::size_t, std::int64_t, device::Stream);
template void fill(Runtime&, float*, std::size_t, float, device::Stream);
template void iota(Runtime&, std::int32_t*, std::size_t, std::int32_t, device::Stream);
template void iota(Runtime&, std::int64_t*, std::size_t, std::int64_t, device::Stream);
template void add(Runtime&, const std::uint8_t*, const std::uint8_t*, std::uint8_t*, std::size_t, device::Stream);
template void add(Runtime&, const float*, const float*, float*, std::size_t, device::Stream);
template void add_value(Runtime&, const std::uint8_t*, const std::uint8_t*, std::uint8_t*, std::size_t, device::Stream);
template void add(Runtime&, const std::uint8_t*, std::uint8_t*, std::size_t, std::uint8_t, device::Stream);
template void add(Runtime&, const std::int32_t*, std::int32_t*, std::size_t, std::int32_t, device::Stream);
template void add(Runtime&, const std::int64_t*, std::int64_t*, std::size_t, std::int64_t, device::Stream);
template void add(Runtime&, const float*, float*, std::size_t, float, device::Stream);
template void convert(Runtime&, const float*, std::int64_t*, std::size_t, device::Stream);
template void copy_strided(Runtime&, const StridedMatrix<std::int64_t>&, std::int64_t*, device::Stream);
template void fill_strided(Runtime&, std::uint8_t*, std::size_t, std::uint8_t, std::size_t, device::Stream, Claim);
template void fill_strided(Runtime&, std::int32_t*, std::size_t, std::int32_t, std::size_t, device::Stream, Claim);
template void fill_strided(Runtime&, float*, std::size_t, float, std::size_t, device::Stream, Claim);
template void verify(Runtime&, const std::uint8_t*, std::size_t, std::uint8_t, std::size_t, Tally*, device::Stream,
                     Claim);
template void verify(Runtime&, const std::int32_t*, std::size_t, std::int32_t, std::size_t, Tally*, device::Stream,
                     Claim);
template void verify(Runtime&, const float*, std::size_t, float, std::size_t, Tally*, device::Stream, Claim);
template void assert_async(Runtime&, const std::int64_t*, std::size_t, device::Stream);
template void assert_async(Runtime&, const float*, std::size_t, device::Stream);
template void assert_async(Runtime&, const bool*, std::size_t, device::Stream);
template void assert_async(Runtime&, const std::complex<float>*, std::size_t, device::Stream);
template void index(Runtime&, const std::int32_t*, std::size_t, std::size_t, const std::int64_t*, std::size_t,
                    std::int32_t*, device::Stream);
template void index(Runtime&, const std::int64_t*, std::size_t, std::size_t, const std::int64_t*, std::size_t,
                    std::int64_t*, device::Stream);
template void index(Runtime&, const float*, std::size_t, std::size_t, const std::int64_t*, std::size_t, float*,
                    device::Stream);

}  // namespace gpucheck::tensor::ops
