#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <numeric>

#include "device/kernels/support/distributions.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/random/random.hpp"
#include "tensor/operators/random/support.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/random/permutation.hpp"

namespace gpucheck::tensor::operators::in_random::wholes {
namespace {

namespace kernels = device::kernels;

/// The greatest number up to which the type holds all whole ones.
template <typename T>
constexpr std::int64_t greatest_whole() {
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(std::numeric_limits<T>::max());
  } else {
    return std::int64_t{1} << kernels::digits_of<T>;
  }
}

/// As PyTorch's host: a remainder of 32 random bits, of 64 where the range needs them.
template <typename T>
void draw_on_host(std::mt19937& twister, T* out, std::size_t count, std::int64_t from, std::uint64_t range) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = twister();
    if (range >= std::uint64_t{1} << 32U) bits = bits << 32U | twister();
    const std::uint64_t drawn = range == 0 ? bits : bits % range;
    out[i] = kernels::convert_element<T>(static_cast<std::int64_t>(drawn + static_cast<std::uint64_t>(from)));
  }
}

Tensor random_from(const Tensor& self, std::int64_t from, std::optional<std::int64_t> to, GeneratorChoice generator) {
  if (to && from >= *to) {
    throw Error(fmt::format("random_ expects 'from' to be less than 'to', but got from={} >= to={}", from, *to));
  }
  if (is_complex(self.dtype())) refuse_dtype("random_from_to", self.dtype());
  fill_in_order(self, [&](const Tensor& elements) {
    const auto count = static_cast<std::size_t>(elements.count());
    kernels::with_stored_type(self.dtype(), [&]<typename T>(std::type_identity<T>) {
      if constexpr (!kernels::is_complex_number<T>) {
        T* const out = elements.data_as<T>();
        if (self.device().is_host()) {
          const std::uint64_t last =
              to ? static_cast<std::uint64_t>(*to) - 1 : static_cast<std::uint64_t>(greatest_whole<T>());
          const std::uint64_t range = last - static_cast<std::uint64_t>(from) + 1;
          host_generator(generator).use([&](std::mt19937& twister) { draw_on_host(twister, out, count, from, range); });
        } else if (to) {
          ops::random(device_generator(generator, self.device()), out, count, from, *to);
        } else {
          ops::random_from(device_generator(generator, self.device()), out, count, from);
        }
      }
    });
  });
  return self;
}

Tensor random_in_place(const Tensor& self, GeneratorChoice generator) {
  return random_from(self, 0, std::nullopt, generator);
}

Tensor make_randint(std::int64_t low, std::int64_t high, const Sizes& sizes, std::optional<DType> dtype,
                    std::optional<TensorLayout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return random_(EmptyMemoryFormat{}(sizes, dtype, layout, device, pin_memory), low, high);
}

Tensor make_randperm(std::int64_t n, std::optional<DType> dtype, std::optional<TensorLayout> layout,
                     std::optional<Device> device, std::optional<bool> pin_memory) {
  if (n < 0) throw Error(fmt::format("n must be non-negative, got {}", n));
  if (dtype.value_or(DType::int64) != DType::int64) refuse_dtype("randperm", *dtype);
  if (device && !device->is_host()) {
    using Numbers = runtime::Buffer<std::int64_t>;
    auto numbers = std::make_shared<Numbers>(ops::randperm(device_generator({}, *device), static_cast<std::size_t>(n)));
    void* const data = numbers->data();
    const std::size_t bytes = numbers->size_bytes();
    // The storage keeps the buffer.
    return {Storage::adopted(data, bytes, *device, [numbers] {}), DType::int64, {{n}, {1}, 0}};
  }
  const Tensor result = EmptyMemoryFormat{}({n}, DType::int64, layout, device, pin_memory);
  auto* const out = result.data_as<std::int64_t>();
  std::iota(out, out + n, std::int64_t{0});
  host_generator({}).use([&](std::mt19937& twister) {
    for (std::int64_t i = 0; i + 1 < n; ++i)
      std::swap(out[i], out[i + static_cast<std::int64_t>(twister() % static_cast<std::uint64_t>(n - i))]);
  });
  return result;
}

}  // namespace

std::vector<Entry> define() {
  return {RandomFrom::entry<&random_from>({}), RandomDefault::entry<&random_in_place>({}),
          RandintLow::entry<&make_randint>({}), Randperm::entry<&make_randperm>({})};
}

}  // namespace gpucheck::tensor::operators::in_random::wholes
