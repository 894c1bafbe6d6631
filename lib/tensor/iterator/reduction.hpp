#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "runtime/memory/buffer.hpp"
#include "tensor/iterator/destination.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/iterator/reduction_kernels.hpp"

namespace gpucheck::tensor {

struct ReductionOptions {
  /// Dimensions to reduce, counted from the end where negative; all of them where nothing or an empty list is given.
  std::optional<Sizes> dimensions = {};
  bool keep_dimensions = false;
  DType result_dtype = DType::float32;
  /// The type of the other result of a reduction with two, and where that goes; undefined for a new tensor.
  std::optional<DType> second_dtype = {};
  Tensor second = {};
};

/// A reduction as it goes through memory: which elements make which result, with as few dimensions as will do.
class Reduction {
 public:
  /// A dimension of what is left or of what is reduced. Strides in bytes.
  struct Dimension {
    std::int64_t size = 1;
    std::int64_t in_stride = 0;
    std::int64_t out_stride = 0;
    std::int64_t second_stride = 0;
  };
  using Dimensions = boost::container::static_vector<Dimension, max_rank>;

  /// @throws Error with PyTorch's texts for dimensions, types and devices that do not fit.
  Reduction(const Destination& destination, const Tensor& self, const ReductionOptions& options);

  [[nodiscard]] const Tensor& self() const noexcept { return self_; }
  [[nodiscard]] const Tensor& result() const noexcept { return result_; }
  /// The other result; undefined where there is none.
  [[nodiscard]] const Tensor& second() const noexcept { return second_; }
  /// From the dimension that runs fastest.
  [[nodiscard]] const Dimensions& over_results() const noexcept { return over_results_; }
  [[nodiscard]] const Dimensions& over_elements() const noexcept { return over_elements_; }
  [[nodiscard]] std::int64_t results() const noexcept { return results_; }
  /// Elements of each result.
  [[nodiscard]] std::int64_t reduced() const noexcept { return reduced_; }
  /// How to share it out on a device with so many multiprocessors.
  [[nodiscard]] device::kernels::ReductionShape shape(int multiprocessors, std::size_t accumulated_bytes) const;

 private:
  Tensor self_;
  Tensor result_;
  Tensor second_;
  Dimensions over_results_;
  Dimensions over_elements_;
  std::int64_t results_ = 1;
  std::int64_t reduced_ = 1;
};

/// How blocks share out results of so many elements each, every result by one of them.
/// @param elements_fastest neighbouring elements of a result lie nearer to each other than neighbouring results do.
[[nodiscard]] device::kernels::ReductionShape block_shape(std::int64_t results, std::int64_t elements,
                                                          bool elements_fastest);

namespace detail {

template <typename Functor>
device::kernels::ReducedTo<Functor> reduced_to(const Reduction& reduction, const Functor& functor) {
  device::kernels::ReducedTo<Functor> to{};
  to.out = reduction.result().data();
  to.out_dtype = reduction.result().dtype();
  if constexpr (decltype(to)::has_second) {
    to.second = reduction.second().data();
    to.second_dtype = reduction.second().dtype();
  }
  to.count = reduction.results();
  to.functor = functor;
  to.plan.rank = static_cast<std::uint32_t>(reduction.over_results().size());
  for (std::size_t i = 0; i < reduction.over_results().size(); ++i) {
    const Reduction::Dimension& dimension = reduction.over_results()[i];
    to.plan.sizes[i] = dimension.size;
    to.plan.strides[i][0] = dimension.out_stride;
    to.plan.strides[i][1] = dimension.in_stride;
    if constexpr (decltype(to)::has_second) to.plan.strides[i][2] = dimension.second_stride;
  }
  return to;
}

template <typename Kernel>
void launch_blocks(const Kernel& kernel, runtime::Runtime& runtime) {
  device::check(
      device::launch(runtime.device(), kernel, kernel.invocations(), kernel.block(), runtime.current_stream()),
      Kernel::name);
}

template <typename Number, typename T, typename Functor>
void run_reduction_of(const Reduction& reduction, const Functor& functor) {
  device::kernels::Reduce<Functor, Number, T> kernel{};
  kernel.in = reduction.self().data();
  kernel.in_dtype = reduction.self().dtype();
  kernel.reduced = reduction.reduced();
  kernel.to = reduced_to(reduction, functor);
  kernel.over_elements.rank = static_cast<std::uint32_t>(reduction.over_elements().size());
  for (std::size_t i = 0; i < reduction.over_elements().size(); ++i) {
    kernel.over_elements.sizes[i] = reduction.over_elements()[i].size;
    kernel.over_elements.strides[i][0] = reduction.over_elements()[i].in_stride;
  }
  if (reduction.self().device().is_host()) return kernel.run_whole_on_host();

  using Accumulated = typename Functor::Accumulated;
  runtime::Runtime& runtime = reduction.self().device().runtime();
  kernel.shape = reduction.shape(runtime.device().properties().multiprocessor_count, sizeof(Accumulated));
  if (kernel.shape.slices == 1) return launch_blocks(kernel, runtime);
  runtime::Buffer<Accumulated> partial(runtime, static_cast<std::size_t>(kernel.to.count * kernel.shape.slices),
                                       runtime.current_stream());
  kernel.partial = partial.data();
  launch_blocks(kernel, runtime);
  device::kernels::ReduceSlices<Functor> last{};
  last.partial = partial.data();
  last.slices = kernel.shape.slices;
  last.to = kernel.to;
  launch_kernel(last, runtime);
}

}  // namespace detail

/// Reduces with a functor that computes in `Number`, by the quickest of the kernels that its family lists. The order of
/// additions depends on sizes, strides and the device alone. On a device scratch memory comes from the allocator.
/// @throws DeviceError, OutOfMemoryError.
template <typename Number, typename Functor>
void run_reduction(const Reduction& reduction, const Functor& functor) {
  if (reduction.results() == 0) return;
  using Typed = device::kernels::Reduce<Functor, float, float>;
  if constexpr (std::is_same_v<Number, float> && requires { sizeof(device::kernels::FamilyOf<Typed>); }) {
    switch (reduction.self().dtype()) {
      case DType::float32:
        return detail::run_reduction_of<Number, float>(reduction, functor);
      case DType::float16:
        return detail::run_reduction_of<Number, device::kernels::Half>(reduction, functor);
      case DType::bfloat16:
        return detail::run_reduction_of<Number, device::kernels::BFloat16>(reduction, functor);
      default:
        break;
    }
  }
  detail::run_reduction_of<Number, void>(reduction, functor);
}

}  // namespace gpucheck::tensor
