#include "tensor/tests/random_calls.hpp"

#include <cmath>
#include <limits>

#include "tensor/random/inputs.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/random/multinomial.hpp"
#include "tensor/random/permutation.hpp"

namespace gpucheck::tensor::test {
namespace {

/// `torch.linspace` on CUDA: from both ends, with the product fused.
template <typename Real>
std::vector<Real> linspace(Real start, Real end, std::size_t count) {
  const Real step = (end - start) / static_cast<Real>(count - 1);
  std::vector<Real> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = i < count / 2 ? std::fma(step, static_cast<Real>(i), start)
                              : std::fma(-step, static_cast<Real>(count - i - 1), end);
  }
  return values;
}
template <typename T>
std::vector<T> inputs_between(double start, double end, std::size_t count) {
  std::vector<T> values;
  if constexpr (std::is_same_v<T, float>) {
    return linspace(static_cast<float>(start), static_cast<float>(end), count);
  } else {
    for (const double value : linspace(start, end, count)) values.push_back(device::kernels::convert_to<T>(value));
    return values;
  }
}
template <typename T>
std::vector<T> counted_weights(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i + 1);
  return values;
}

/// A call that fills `count` elements.
template <typename T>
Call filling(std::function<void(Generator&, T*, std::size_t)> fill) {
  return [fill](Generator& generator, std::size_t count) {
    runtime::Runtime& runtime = generator.runtime();
    Buffer<T> out(runtime, count, runtime.current_stream());
    fill(generator, out.data(), count);
    return read(runtime, out.data(), count);
  };
}
/// A call that makes `count` elements of as many inputs.
template <typename T, typename P>
Call mapping(std::function<std::vector<P>(std::size_t)> inputs,
             std::function<void(Generator&, const P*, T*, std::size_t)> map) {
  return [inputs, map](Generator& generator, std::size_t count) {
    const Buffer<P> in = on_device(generator.runtime(), inputs(count));
    return filling<T>([&](Generator& from, T* out, std::size_t size) { map(from, in.data(), out, size); })(generator,
                                                                                                           count);
  };
}
template <typename T>
Call drawing_categories(std::size_t rows, std::size_t samples, bool replacement) {
  return [rows, samples, replacement](Generator& generator, std::size_t categories) {
    runtime::Runtime& runtime = generator.runtime();
    const Buffer<T> weights = on_device(runtime, counted_weights<T>(rows * categories));
    Buffer<std::int64_t> out(runtime, rows * samples, runtime.current_stream());
    ops::multinomial(generator, ops::Weights<T>{weights.data(), rows, categories}, out.data(), samples, replacement);
    return read(runtime, out.data(), out.size());
  };
}

template <typename T>
void add_real(Calls& calls, const std::string& type) {
  const auto named = [&](const std::string& name) { return type.empty() ? name : name + "_" + type; };
  calls[named("uniform_-2_5")] = filling<T>([](auto& g, T* out, auto n) { ops::uniform(g, out, n, -2, 5); });
  calls[named("normal_3_0.5")] = filling<T>([](auto& g, T* out, auto n) { ops::normal(g, out, n, 3, 0.5); });
  calls[named("log_normal")] = filling<T>([](auto& g, T* out, auto n) { ops::log_normal(g, out, n); });
  calls[type.empty() ? "exponential_1.5" : "exponential_" + type] =
      filling<T>([](auto& g, T* out, auto n) { ops::exponential(g, out, n, 1.5); });
  calls[named("cauchy")] = filling<T>([](auto& g, T* out, auto n) { ops::cauchy(g, out, n); });
  calls[named("poisson_3")] = mapping<T, T>([](std::size_t n) { return equal_inputs<T>(3, n); }, ops::poisson<T>);
  calls[named("bernoulli_p_tensor")] =
      mapping<T, T>([](std::size_t n) { return inputs_between<T>(0, 1, n); }, ops::bernoulli_each<T, T>);
  calls[named("rrelu")] = mapping<T, T>([](std::size_t n) { return inputs_between<T>(-1, 1, n); },
                                        [](Generator& g, const T* in, T* out, std::size_t n) {
                                          Buffer<T> slopes(g.runtime(), n, g.runtime().current_stream());
                                          ops::rrelu(g, in, out, slopes.data(), n);
                                        });
}

template <typename T>
Call dropping(double probability) {
  return mapping<T, T>([](std::size_t n) { return equal_inputs<T>(1, n); },
                       [probability](Generator& g, const T* in, T* out, std::size_t n) {
                         Buffer<bool> mask(g.runtime(), n, g.runtime().current_stream());
                         ops::dropout(g, in, out, mask.data(), n, probability);
                       });
}

template <typename T>
void add_numbers(Calls& calls, const std::string& type) {
  calls["bernoulli_scalar_" + type] = filling<T>([](auto& g, T* out, auto n) { ops::bernoulli(g, out, n, 0.25); });
  calls["random_" + type] = filling<T>([](auto& g, T* out, auto n) { ops::random(g, out, n); });
  calls["random_0_2_" + type] = filling<T>([](auto& g, T* out, auto n) { ops::random(g, out, n, 0, 2); });
  if constexpr (!std::is_same_v<T, bool>) {
    calls["geometric_0.3_" + type] = filling<T>([](auto& g, T* out, auto n) { ops::geometric(g, out, n, 0.3); });
    calls["random_-100_100_" + type] = filling<T>([](auto& g, T* out, auto n) { ops::random(g, out, n, -100, 100); });
    calls["random_from_10_" + type] = filling<T>([](auto& g, T* out, auto n) { ops::random_from(g, out, n, 10); });
  }
  if constexpr (std::is_integral_v<T>) {
    calls["bernoulli_each_" + type] =
        mapping<T, float>([](std::size_t n) { return inputs_between<float>(0, 1, n); }, ops::bernoulli_each<T, float>);
  }
}

template <typename T>
void add_large(Calls& calls, const std::string& type) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::lowest();
  calls["random_any_" + type] = filling<T>([](auto& g, T* out, auto n) { ops::random_from(g, out, n, least); });
  calls["random_0_2^40_" + type] =
      filling<T>([](auto& g, T* out, auto n) { ops::random(g, out, n, 0, std::int64_t{1} << 40); });
}

}  // namespace

const Calls& calls() {
  static const Calls all = [] {
    Calls made;
    const auto between = [](std::int64_t to) {
      return filling<std::int64_t>([to](auto& g, std::int64_t* out, auto n) { ops::random(g, out, n, 0, to); });
    };
    made["uniform_f32"] = filling<float>([](auto& g, float* out, auto n) { ops::uniform(g, out, n); });
    made["uniform_f64"] = filling<double>([](auto& g, double* out, auto n) { ops::uniform(g, out, n); });
    made["uniform_f16"] = filling<Half>([](auto& g, Half* out, auto n) { ops::uniform(g, out, n); });
    made["uniform_bf16"] = filling<BFloat16>([](auto& g, BFloat16* out, auto n) { ops::uniform(g, out, n); });
    made["normal_f32"] = filling<float>([](auto& g, float* out, auto n) { ops::normal(g, out, n); });
    made["normal_f64"] = filling<double>([](auto& g, double* out, auto n) { ops::normal(g, out, n); });
    made["normal_f16"] = filling<Half>([](auto& g, Half* out, auto n) { ops::normal(g, out, n); });
    made["exponential"] = filling<float>([](auto& g, float* out, auto n) { ops::exponential(g, out, n); });
    made["bernoulli_0.5"] = mapping<float, float>([](std::size_t n) { return equal_inputs<float>(0.5, n); },
                                                  ops::bernoulli_each<float, float>);
    made["bernoulli_scalar"] = filling<float>([](auto& g, float* out, auto n) { ops::bernoulli(g, out, n, 0.25); });
    made["geometric_0.3"] = filling<float>([](auto& g, float* out, auto n) { ops::geometric(g, out, n, 0.3); });
    made["randint_0_100_i64"] = between(100);
    made["randint_0_2^30_i64"] = between(std::int64_t{1} << 30);
    made["randint_0_2^40_i64"] = between(std::int64_t{1} << 40);
    made["randperm"] = [](Generator& generator, std::size_t n) {
      const Buffer<std::int64_t> order = ops::randperm(generator, n);
      return read(generator.runtime(), order.data(), n);
    };
    for (const int mean : {64, 100, 3000, 5000}) {
      made[fmt::format("poisson_{}", mean)] =
          mapping<float, float>([mean](std::size_t n) { return equal_inputs<float>(mean, n); }, ops::poisson<float>);
    }
    add_real<float>(made, "");
    add_real<double>(made, "f64");
    add_real<Half>(made, "f16");
    add_real<BFloat16>(made, "bf16");
    add_numbers<float>(made, "f32");
    add_numbers<double>(made, "f64");
    add_numbers<Half>(made, "f16");
    add_numbers<BFloat16>(made, "bf16");
    add_numbers<std::uint8_t>(made, "u8");
    add_numbers<std::int8_t>(made, "i8");
    add_numbers<std::int16_t>(made, "i16");
    add_numbers<std::int32_t>(made, "i32");
    add_numbers<std::int64_t>(made, "i64");
    add_numbers<bool>(made, "bool");
    add_large<float>(made, "f32");
    add_large<double>(made, "f64");
    add_large<BFloat16>(made, "bf16");
    add_large<std::int64_t>(made, "i64");
    made["dropout"] = dropping<float>(0.3);
    made["dropout_0.5"] = dropping<float>(0.5);
    made["dropout_0.3_f32"] = dropping<float>(0.3);
    made["dropout_0.3_f64"] = dropping<double>(0.3);
    made["dropout_0.3_f16"] = dropping<Half>(0.3);
    made["dropout_0.3_bf16"] = dropping<BFloat16>(0.3);
    made["multinomial"] = drawing_categories<float>(1, 8, true);
    made["multinomial_repl"] = drawing_categories<float>(1, 64, true);
    made["multinomial_norepl"] = drawing_categories<float>(1, 64, false);
    made["multinomial_f64"] = drawing_categories<double>(1, 64, true);
    made["multinomial_once"] = drawing_categories<float>(1, 1, true);
    made["multinomial_one"] = drawing_categories<float>(1, 1, false);
    made["multinomial_rows"] = drawing_categories<float>(3, 64, true);
    made["multinomial_rows_norepl"] = drawing_categories<float>(3, 5, false);
    made["multinomial_rows_one"] = drawing_categories<float>(3, 1, false);
    return made;
  }();
  return all;
}

}  // namespace gpucheck::tensor::test
