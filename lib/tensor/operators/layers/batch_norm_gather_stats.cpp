#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/layers/kernels/normalisation.hpp"
#include "tensor/operators/layers/layers.hpp"

namespace gpucheck::tensor::operators::in_layers::batch_norm_gather_stats {
namespace {

void require_channels(const Tensor& tensor, std::int64_t channels, std::string_view name) {
  if (!tensor.defined()) return;
  if (tensor.dtype() != DType::float32) refuse_dtype("batch_norm_reduce_statistics_cuda", tensor.dtype());
  if (tensor.rank() == 0 || tensor.size(-1) != channels) {
    throw Error(std::string(name) + " must have an element for each channel, not sizes " + to_text(tensor.sizes()));
  }
}

/// The running statistics are written where they lie.
float* written(const Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if (!tensor.is_contiguous()) throw Error("running statistics must lie one after another");
  return tensor.data_as<float>();
}

std::tuple<Tensor, Tensor> gather(const Tensor& input, const Tensor& mean, const Tensor& invstd,
                                  const Tensor& running_mean, const Tensor& running_var, double momentum, double eps,
                                  std::int64_t count) {
  const std::int64_t channels = input.size(1);
  require_channels(mean, channels, "mean");
  require_channels(invstd, channels, "invstd");
  require_channels(running_mean, channels, "running_mean");
  require_channels(running_var, channels, "running_var");
  const Tensor means = contiguous(mean);
  const Tensor inverse = contiguous(invstd);
  const Tensor result_mean = make_empty({channels}, DType::float32, mean.device());
  const Tensor result_inverse = make_empty({channels}, DType::float32, mean.device());
  device::kernels::GatherStatistics kernel{};
  kernel.means = means.data_as<float>();
  kernel.inverse = inverse.data_as<float>();
  kernel.mean = result_mean.data_as<float>();
  kernel.inverse_deviation = result_inverse.data_as<float>();
  kernel.running_mean = written(running_mean);
  kernel.running_variance = written(running_var);
  kernel.parts = channels == 0 ? 0 : means.count() / channels;
  kernel.channels = channels;
  kernel.momentum = static_cast<float>(momentum);
  kernel.epsilon = static_cast<float>(eps);
  kernel.count = static_cast<float>(count);
  if (channels > 0) detail::run_kernel(kernel, mean.device());
  for (const Tensor& running : {running_mean, running_var}) {
    if (running.defined()) running.count_write();
  }
  return {result_mean, result_inverse};
}

}  // namespace

std::vector<Entry> define() { return {BatchNormGatherStats::entry<&gather>({})}; }

}  // namespace gpucheck::tensor::operators::in_layers::batch_norm_gather_stats
