#include <fmt/format.h>

#include "tensor/core/elements.hpp"
#include "tensor/iterator/loop.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/random/random.hpp"
#include "tensor/operators/random/support.hpp"
#include "tensor/random/integers.hpp"

namespace gpucheck::tensor::operators::in_random::bernoulli {
namespace {

namespace kernels = device::kernels;

/// A uniform number in [0, 1) of 53 bits, from two of the twister's, the first on top: as PyTorch's host generator.
double uniform(std::mt19937& twister) {
  const std::uint64_t high = twister();
  const std::uint64_t bits = (high << 32U | twister()) & ((std::uint64_t{1} << 53U) - 1);
  return static_cast<double>(bits) * 0x1p-53;
}

template <typename T>
void draw_on_host(HostGenerator& generator, T* out, std::int64_t count, double probability) {
  generator.use([&](std::mt19937& twister) {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = kernels::convert_element<T>(static_cast<std::int64_t>(uniform(twister) < probability));
    }
  });
}

Tensor bernoulli_in_place(const Tensor& self, double probability, GeneratorChoice generator) {
  if (!(probability >= 0 && probability <= 1)) {
    throw Error(fmt::format("bernoulli_ expects p to be in [0, 1], but got p={}", probability));
  }
  if (is_complex(self.dtype())) refuse_dtype("bernoulli_scalar_cuda_", self.dtype());
  fill_in_order(self, [&](const Tensor& elements) {
    kernels::with_stored_type(self.dtype(), [&]<typename T>(std::type_identity<T>) {
      if constexpr (!kernels::is_complex_number<T>) {
        T* const out = elements.data_as<T>();
        if (self.device().is_host()) {
          draw_on_host(host_generator(generator), out, elements.count(), probability);
        } else {
          ops::bernoulli(device_generator(generator, self.device()), out, static_cast<std::size_t>(elements.count()),
                         probability);
        }
      }
    });
  });
  return self;
}

}  // namespace

std::vector<Entry> define() { return {BernoulliFloat::entry<&bernoulli_in_place>({})}; }

}  // namespace gpucheck::tensor::operators::in_random::bernoulli
