#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "runtime/memory/buffer.hpp"
#include "runtime/runtime.hpp"
#include "tensor/kernels/strided.hpp"

/// Work on device memory, by raw pointer, element count and stream. All pointers are to
/// device memory; every call only submits work and returns. A count of 0 submits
/// nothing. @throws DeviceError for every one; OutOfMemoryError where it says that it
/// allocates scratch memory from the allocator.
namespace gpucheck::tensor {

using runtime::Buffer;
using runtime::Runtime;

}  // namespace gpucheck::tensor

namespace gpucheck::tensor::ops {

/// out[i] = value. T: uint8_t, int32_t, int64_t, float.
template <typename T>
void fill(Runtime& runtime, T* out, std::size_t count, T value, device::Stream stream);

/// out[i] = start + i. T: int32_t, int64_t.
template <typename T>
void iota(Runtime& runtime, T* out, std::size_t count, T start, device::Stream stream);

/// out[i] = in[i] + value; in and out may be the same. Unsigned values wrap around.
/// T: uint8_t, int32_t, int64_t, float.
template <typename T>
void add(Runtime& runtime, const T* in, T* out, std::size_t count, T value, device::Stream stream);

/// out[i] = in[i] as another type: the fraction is dropped; what does not fit becomes the nearest value that does, NaN
/// the lowest. From float to int64_t.
template <typename From, typename To>
void convert(Runtime& runtime, const From* in, To* out, std::size_t count, device::Stream stream);

/// A matrix in memory: element (r, c) is data[r * row_stride + c * column_stride].
template <typename T>
struct StridedMatrix {
  const T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
};

/// out[r * columns + c] = element (r, c) of `in`. T: int64_t.
template <typename T>
void copy_strided(Runtime& runtime, const StridedMatrix<T>& in, T* out, device::Stream stream);
/// out[i] = a[i] + b[i]; out may be a or b. Unsigned values wrap around. T: uint8_t, float.
template <typename T>
void add(Runtime& runtime, const T* a, const T* b, T* out, std::size_t count, device::Stream stream);
/// out[i] = in[i] + *value, with the value on the device. T: uint8_t.
template <typename T>
void add_value(Runtime& runtime, const T* in, const T* value, T* out, std::size_t count, device::Stream stream);

/// *out = sum of in, wrapping as 64-bit arithmetic does. *out is 0 for a count of 0.
void sum(Runtime& runtime, const std::int64_t* in, std::size_t count, std::int64_t* out, device::Stream stream);
/// The same in double precision; the order of additions depends on the count alone.
/// Takes scratch memory.
void sum(Runtime& runtime, const float* in, std::size_t count, double* out, device::Stream stream);

using Claim = device::kernels::Claim;

/// data[0], data[stride], data[2 * stride], ... below `count` get `value`; `claim` says whether
/// what lies between them counts as written.
/// T: uint8_t, int32_t, float. @throws Error for a stride of 0.
template <typename T>
void fill_strided(Runtime& runtime, T* data, std::size_t count, T value, std::size_t stride, device::Stream stream,
                  Claim claim = Claim::samples);

/// What passes over memory found: {verified, wrong}, in elements. Zero it before the first.
using Tally = device::kernels::Tally;

/// Compares data[0], data[stride], ... below `count` with `value` and adds to `tally`; `claim`
/// says whether what lies between them counts as read.
/// T: uint8_t, int32_t, float (where NaN differs from everything).
/// @throws Error for a stride of 0.
template <typename T>
void verify(Runtime& runtime, const T* data, std::size_t count, T value, std::size_t stride, Tally* tally,
            device::Stream stream, Claim claim = Claim::samples);

/// Device-side assert that the one value is not zero. T: int64_t, float, bool,
/// std::complex<float>. @throws Error unless there is exactly one value.
template <typename T>
void assert_async(Runtime& runtime, const T* values, std::size_t count, device::Stream stream);

/// Row i of `out` is row indices[i] of `in`; a negative index counts from the end. An
/// index outside -rows..rows-1 is a device-side assert. T: int32_t, int64_t, float.
template <typename T>
void index(Runtime& runtime, const T* in, std::size_t rows, std::size_t row_elements, const std::int64_t* indices,
           std::size_t index_count, T* out, device::Stream stream);

}  // namespace gpucheck::tensor::ops
