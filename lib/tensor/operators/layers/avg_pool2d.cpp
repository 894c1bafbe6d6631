#include <fmt/format.h>
#include <limits>

#include "tensor/core/errors.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/layers/kernels/pooling.hpp"
#include "tensor/operators/layers/layers.hpp"

namespace gpucheck::tensor::operators::in_layers::avg_pool2d {
namespace {

/// PyTorch's kernels count these with 32 bits.
std::int64_t require_32_bits(std::int64_t size) {
  if (size > std::numeric_limits<std::int32_t>::max()) throw Error("integer out of range");
  return size;
}

/// One number stands for both dimensions.
void read_pair(const Sizes& given, std::string_view text, std::int64_t (&pair)[2]) {
  if (given.size() != 1 && given.size() != 2) throw Error(std::string(text));
  pair[0] = given.front();
  pair[1] = given.back();
}

/// How many windows a dimension has.
std::int64_t windows(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                     bool ceil_mode) {
  const std::int64_t room = size + 2 * padding - kernel + (ceil_mode ? stride - 1 : 0);
  std::int64_t count = (room >= 0 ? room / stride : -((-room + stride - 1) / stride)) + 1;
  if (ceil_mode && (count - 1) * stride >= size + padding) --count;  // the last one must begin inside
  return count;
}

Tensor make_pooled(const Tensor& self, const Sizes& kernel_size, const Sizes& stride, const Sizes& padding,
                   bool ceil_mode, bool count_include_pad, std::optional<std::int64_t> divisor_override) {
  device::kernels::AveragePool2d kernel{};
  read_pair(kernel_size, "avg_pool2d: kernel_size must either be a single int, or a tuple of two ints", kernel.kernel);
  read_pair(stride.empty() ? kernel_size : stride,
            "avg_pool2d: stride must either be omitted, a single int, or a tuple of two ints", kernel.stride);
  read_pair(padding, "avg_pool2d: padding must either be a single int, or a tuple of two ints", kernel.padding);
  if (divisor_override == 0) throw Error("divisor must be not zero");
  if (kernel.kernel[0] < 1 || kernel.kernel[1] < 1) throw Error("kernel size should be greater than zero");
  if (kernel.stride[0] < 1 || kernel.stride[1] < 1) throw Error("stride should not be zero");
  if (kernel.padding[0] > kernel.kernel[0] / 2 || kernel.padding[1] > kernel.kernel[1] / 2) {
    throw Error("pad should be smaller than or equal to half of kernel size");
  }
  if (self.rank() != 3 && self.rank() != 4) {
    throw Error(
        fmt::format("Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got: {}",
                    to_text(self.sizes())));
  }
  if (!is_floating(self.dtype())) refuse_dtype("avg_pool2d_out_cuda_frame", self.dtype());
  kernel.in_height = require_32_bits(self.size(-2));
  kernel.in_width = require_32_bits(self.size(-1));
  kernel.out_height = windows(kernel.in_height, kernel.kernel[0], kernel.stride[0], kernel.padding[0], ceil_mode);
  kernel.out_width = windows(kernel.in_width, kernel.kernel[1], kernel.stride[1], kernel.padding[1], ceil_mode);
  if (kernel.out_height < 1 || kernel.out_width < 1) {
    throw Error(fmt::format(
        "Given input size: ({}x{}x{}). Calculated output size: ({}x{}x{}). Output size is too small", self.size(-3),
        kernel.in_height, kernel.in_width, self.size(-3), kernel.out_height, kernel.out_width));
  }
  Sizes sizes = self.sizes();
  sizes[sizes.size() - 2] = kernel.out_height;
  sizes[sizes.size() - 1] = kernel.out_width;
  const Tensor in = contiguous(self);
  const Tensor result = make_empty(sizes, self.dtype(), self.device());
  if (result.count() == 0) return result;
  kernel.in = in.data();
  kernel.out = result.data();
  kernel.dtype = self.dtype();
  kernel.planes = in.count() / (kernel.in_height * kernel.in_width);
  kernel.count_padding = count_include_pad;
  kernel.divisor = divisor_override.value_or(0);
  detail::run_kernel(kernel, self.device());
  return result;
}

}  // namespace

std::vector<Entry> define() { return {AvgPool2d::entry<&make_pooled>({})}; }

}  // namespace gpucheck::tensor::operators::in_layers::avg_pool2d
