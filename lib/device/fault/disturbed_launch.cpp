#include "device/fault/disturbed_launch.hpp"

#include "device/kernels/multiprocessors.hpp"

namespace gpucheck::fault {
namespace {

namespace kernels = device::kernels;

/// Gives a disturbance to a functor, if it is a Functor.
template <typename Functor>
void disturb_if(const device::Kernel* kernel, void* functor, const kernels::Disturbance& disturbance) {
  if (kernel == &kernels::kernel<Functor>) static_cast<Functor*>(functor)->disturbance = disturbance;
}

}  // namespace

bool tells_multiprocessors_apart(const device::KernelLaunch& launch) noexcept {
  return launch.kernel == &kernels::kernel<kernels::MultiplyOnEach<float>> ||
         launch.kernel == &kernels::kernel<kernels::MultiplyOnEach<double>> ||
         launch.kernel == &kernels::kernel<kernels::MultiplyOnEach<std::int32_t>>;
}

DisturbedLaunch::DisturbedLaunch(const device::KernelLaunch& launch, const kernels::Disturbance& disturbance)
    : launch_(launch) {
  const auto* const first = static_cast<const std::byte*>(launch.functor);
  functor_.assign(first, first + launch.kernel->functor_bytes);
  disturb_if<kernels::MultiplyOnEach<float>>(launch.kernel, functor_.data(), disturbance);
  disturb_if<kernels::MultiplyOnEach<double>>(launch.kernel, functor_.data(), disturbance);
  disturb_if<kernels::MultiplyOnEach<std::int32_t>>(launch.kernel, functor_.data(), disturbance);
  launch_.functor = functor_.data();
}

}  // namespace gpucheck::fault
