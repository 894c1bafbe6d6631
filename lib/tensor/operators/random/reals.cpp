#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "device/kernels/support/distributions.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/iterator/pointwise.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/random/random.hpp"
#include "tensor/operators/random/support.hpp"
#include "tensor/random/distributions.hpp"

namespace gpucheck::tensor::operators::in_random::reals {
namespace {

namespace kernels = device::kernels;

/// Calls `draw` with a typed pointer to the elements in their order. @throws NotImplementedError for types that are not
/// floating.
template <typename Draw>
void fill_reals(const Tensor& self, std::string_view name, const Draw& draw) {
  if (!is_floating(self.dtype())) refuse_dtype(name, self.dtype());
  fill_in_order(self, [&](const Tensor& elements) {
    kernels::with_stored_type(self.dtype(), [&]<typename T>(std::type_identity<T>) {
      if constexpr (kernels::is_floating<T>) draw(elements.data_as<T>(), static_cast<std::size_t>(elements.count()));
    });
  });
}

/// A uniform number in [0, 1) with as many bits as the type has digits.
template <typename T>
double uniform(std::mt19937& twister) {
  constexpr int digits = kernels::digits_of<T>;
  std::uint64_t bits = twister();
  if constexpr (digits > 32) bits = bits << 32U | twister();
  return std::ldexp(static_cast<double>(bits & ((std::uint64_t{1} << digits) - 1)), -digits);
}

Tensor uniform_in_place(const Tensor& self, double from, double to, GeneratorChoice generator) {
  if (!(from <= to))
    throw Error(fmt::format("uniform_ expects to return a [from, to) range, but found from={} > to={}", from, to));
  fill_reals(self, "check_uniform_bounds", [&]<typename T>(T* out, std::size_t count) {
    if (!self.device().is_host()) return ops::uniform(device_generator(generator, self.device()), out, count, from, to);
    host_generator(generator).use([&](std::mt19937& twister) {
      for (std::size_t i = 0; i < count; ++i)
        out[i] = kernels::convert_element<T>(uniform<T>(twister) * (to - from) + from);
    });
  });
  return self;
}

/// Two normal numbers of two uniform ones in [0, 1), by the method of Box and Muller.
struct NormalPair {
  double first;
  double second;
};
NormalPair normal_of(double u, double v) {
  const double radius = std::sqrt(-2 * std::log1p(-u));
  const double angle = 2 * std::numbers::pi * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// As PyTorch's host fills more than fifteen: uniform numbers for all, then pairs that lie eight apart; what is left at
/// the end is drawn anew with those before it. Fewer are drawn in pairs.
template <typename T>
void fill_normal(std::mt19937& twister, T* out, std::size_t count, double mean, double deviation) {
  constexpr std::size_t group = 16;
  const auto store = [&](std::size_t place, double number) {
    out[place] = kernels::convert_element<T>(number * deviation + mean);
  };
  if (count < group) {
    for (std::size_t i = 0; i < count; i += 2) {
      const double first = uniform<double>(twister);
      const NormalPair pair = normal_of(uniform<double>(twister), first);
      store(i, pair.first);
      if (i + 1 < count) store(i + 1, pair.second);
    }
    return;
  }
  std::vector<double> uniforms(count);
  for (double& number : uniforms) number = uniform<T>(twister);
  const auto fill_group = [&](std::size_t first) {
    for (std::size_t i = first; i < first + group / 2; ++i) {
      const NormalPair pair = normal_of(uniforms[i], uniforms[i + group / 2]);
      store(i, pair.first);
      store(i + group / 2, pair.second);
    }
  };
  for (std::size_t i = 0; i + group <= count; i += group) fill_group(i);
  if (count % group == 0) return;
  const std::size_t last = count - group;
  for (std::size_t i = last; i < count; ++i) uniforms[i] = uniform<T>(twister);
  fill_group(last);
}

Tensor normal_in_place(const Tensor& self, double mean, double deviation, GeneratorChoice generator) {
  if (!(deviation >= 0)) throw Error(fmt::format("normal expects std >= 0.0, but found std {}", deviation));
  fill_reals(self, "normal_kernel_cuda", [&]<typename T>(T* out, std::size_t count) {
    if (!self.device().is_host())
      return ops::normal(device_generator(generator, self.device()), out, count, mean, deviation);
    host_generator(generator).use([&](std::mt19937& twister) { fill_normal(twister, out, count, mean, deviation); });
  });
  return self;
}

Tensor make_uniform(const Sizes& sizes, std::optional<DType> dtype, std::optional<TensorLayout> layout,
                    std::optional<Device> device, std::optional<bool> pin_memory) {
  return uniform_(EmptyMemoryFormat{}(sizes, dtype, layout, device, pin_memory));
}
Tensor make_normal(const Sizes& sizes, std::optional<DType> dtype, std::optional<TensorLayout> layout,
                   std::optional<Device> device, std::optional<bool> pin_memory) {
  return normal_(EmptyMemoryFormat{}(sizes, dtype, layout, device, pin_memory));
}

}  // namespace

std::vector<Entry> define() {
  return {UniformInPlace::entry<&uniform_in_place>({}), NormalInPlace::entry<&normal_in_place>({}),
          Rand::entry<&make_uniform>({}), Randn::entry<&make_normal>({})};
}

}  // namespace gpucheck::tensor::operators::in_random::reals
