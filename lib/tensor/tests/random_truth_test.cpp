#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "device/kernels/support/distributions.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/memory/transfer.hpp"
#include "tensor/benchmarks/gpu.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/inputs.hpp"
#include "tensor/random/integers.hpp"
#include "tensor/random/multinomial.hpp"
#include "tensor/random/permutation.hpp"
#include "tensor/tests/sha256.hpp"

// What PyTorch drew, on a device with 132 multiprocessors, is what is drawn here: on a GPU of as
// many bit for bit, on the simulated one but for the last bits of a few distributions.
// data/README.md says how the rows were recorded.
namespace gpucheck::tensor::test {
namespace {

/// An array read back.
struct Drawn {
  std::string type;
  std::vector<std::uint8_t> bytes;
  std::vector<double> head;  ///< its first values
  int digits = 0;            ///< of precision; 0 for whole numbers
};

template <typename T>
std::string name_of() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, Half>) return "float16";
  if constexpr (std::is_same_v<T, BFloat16>) return "bfloat16";
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 8 ? "float64" : "float32";
  if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}int{}", std::is_unsigned_v<T> ? "u" : "", sizeof(T) * 8);
  }
}

template <typename T>
Drawn read(runtime::Runtime& runtime, const T* data, std::size_t count) {
  Drawn drawn{.type = name_of<T>(), .bytes = std::vector<std::uint8_t>(count * sizeof(T)), .head = {}};
  copy_to_host(runtime, drawn.bytes.data(), data, drawn.bytes.size(), runtime::Transfer::blocking,
               runtime.current_stream());
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < std::min(count, shown); ++i) {
    T value{};
    std::memcpy(&value, drawn.bytes.data() + i * sizeof(T), sizeof(T));
    drawn.head.push_back(device::kernels::convert_to<double>(value));
  }
  if constexpr (device::kernels::is_floating<T>) drawn.digits = device::kernels::digits_of<T>;
  return drawn;
}

template <typename T>
Buffer<T> on_device(runtime::Runtime& runtime, const std::vector<T>& values) {
  return to_device<T>(runtime, values.data(), values.size(), runtime::Transfer::blocking, runtime.current_stream());
}

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
std::vector<T> equal_inputs(double value, std::size_t count) {
  return std::vector<T>(count, device::kernels::convert_to<T>(value));
}
template <typename T>
std::vector<T> counted_weights(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i + 1);
  return values;
}

using Call = std::function<Drawn(Generator&, std::size_t)>;

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

using Calls = std::map<std::string, Call>;

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

/// What is called for a row, by the row's name without its count.
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

struct Row {
  std::string call;
  std::size_t count = 0;
  nlohmann::json recorded;
};

nlohmann::json load_json(const std::string& name) {
  std::ifstream file(std::string(GPUCHECK_RANDOM_ROWS) + "/" + name);
  return nlohmann::json::parse(file);
}

std::vector<Row> load_rows() {
  std::vector<Row> rows;
  for (const char* name : {"random_rows.json", "random_types.json"}) {
    const nlohmann::json file = load_json(name);
    for (const nlohmann::json& recorded : file.at("results")) {
      const auto whole = recorded.at("name").get<std::string>();
      const std::size_t cut = whole.rfind('_');
      const std::size_t columns = whole.find('x', cut);
      const std::string count = columns == std::string::npos ? whole.substr(cut + 1) : whole.substr(columns + 1);
      rows.push_back({whole.substr(0, cut), std::stoul(count), recorded});
    }
  }
  return rows;
}
const std::vector<Row>& rows() {
  static const std::vector<Row> all = load_rows();
  return all;
}

/// A device with a runtime, on a stream of its own.
struct Machine {
  explicit Machine(std::unique_ptr<device::Driver> made) : driver(std::move(made)), device(driver->open(0).value()) {}
  std::unique_ptr<device::Driver> driver;
  std::unique_ptr<device::Device> device;
  runtime::Runtime runtime{*device};
  runtime::CurrentStreamGuard stream{runtime, runtime.streams().next()};
};

struct Backend {
  std::string label;
  std::function<std::unique_ptr<device::Driver>()> make_driver;
};
void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.label; }

std::vector<Backend> backends() {
  return {{"h100_simulated",
           [] { return std::unique_ptr<device::Driver>(sim::make_driver({.profile = sim::profile("h100")})); }},
          {"gpu", benchmarks::make_gpu_driver}};
}

bool has_device(device::Driver* driver) {
  if (driver == nullptr) return false;
  const auto count = driver->device_count();
  return count && *count > 0;
}

/// What a simulated device, whose logarithms and the like are the host's, may be off by, in
/// units of the last place of the number, or of 1 where it is smaller. Of what is ordered by
/// such numbers only the first are compared. lib/tensor/random/README.md has the same table.
double tolerance_ulp(const std::string& call) {
  static const std::vector<std::pair<std::string, double>> table{
      {"normal_f32", 24},          {"normal", 8},        {"log_normal", 48},   {"exponential", 4}, {"cauchy", 128},
      {"multinomial_norepl", 0.5}, {"poisson_100", 0.5}, {"poisson_3000", 0.5}};
  for (const auto& [begin, ulp] : table) {
    if (call.starts_with(begin)) return ulp;
  }
  return 0;
}

/// How far apart two numbers are, in units of the last place of the second or of 1.
double distance_ulp(double seen, double expected, int digits) {
  if (seen == expected) return 0;
  if (!std::isfinite(expected) || !std::isfinite(seen)) return HUGE_VAL;
  const int exponent = std::abs(expected) < 1 ? 0 : std::ilogb(expected);
  return std::abs(seen - expected) / std::ldexp(1.0, exponent - (digits == 0 ? 0 : digits - 1));
}

/// How many arrays were drawn, how many of them bit for bit, and how far off the others are.
struct Found {
  int arrays = 0;
  int exact = 0;
  double ulp = 0;
};

class RandomTruth : public testing::TestWithParam<std::tuple<Backend, std::string>> {
 protected:
  void compare(const Drawn& drawn, const nlohmann::json& expected, Found& found) {
    ++found.arrays;
    EXPECT_EQ(drawn.type, expected.at("dtype").get<std::string>());
    constexpr std::size_t most_hashed = std::size_t{1} << 30;  // more takes minutes
    const bool hashed = drawn.bytes.size() <= most_hashed;
    if (hashed && gpucheck::test::sha256(drawn.bytes) == expected.at("sha256").get<std::string>()) {
      ++found.exact;
      return;
    }
    const auto head = expected.at("head").get<std::vector<double>>();
    ASSERT_EQ(drawn.head.size(), head.size());
    double ulp = 0;
    for (std::size_t i = 0; i < head.size(); ++i) {
      ulp = std::max(ulp, distance_ulp(drawn.head[i], head[i], drawn.digits));
    }
    found.ulp = std::max(found.ulp, ulp);
    const double allowed = bit_for_bit ? 0 : tolerance;
    if ((allowed > 0 || !hashed) && ulp <= allowed) return;
    std::string values;
    for (std::size_t i = 0; i < head.size(); ++i) values += fmt::format(" {:a}/{:a}", drawn.head[i], head[i]);
    ADD_FAILURE() << "differs by " << ulp << " units in its first values (seen/expected):" << values;
  }

  bool bit_for_bit = false;
  double tolerance = 0;
};

TEST_P(RandomTruth, IsDrawn) {
  const auto& [backend, call] = GetParam();
  auto driver = backend.make_driver();
  if (!has_device(driver.get())) GTEST_SKIP() << "no GPU";
  bit_for_bit = driver->kind() == "cuda";
  tolerance = tolerance_ulp(call);
  Machine machine(std::move(driver));
  const auto& properties = machine.device->properties();
  if (properties.multiprocessor_count != 132) GTEST_SKIP() << "recorded on 132 multiprocessors";
  Generator& generator = default_generator(machine.runtime);
  Found found;
  for (const Row& row : rows()) {
    if (row.call != call || row.recorded.contains("error")) continue;
#ifdef GPUCHECK_TEST_SANITIZED
    constexpr std::size_t most_on_host = std::size_t{1} << 14;  // a sanitizer takes minutes for more
#else
    constexpr std::size_t most_on_host = std::size_t{1} << 26;
#endif
    if (row.count > most_on_host && !bit_for_bit) continue;
    SCOPED_TRACE(row.recorded.at("name").get<std::string>() + ", seed " + row.recorded.at("seed").dump());
    generator.manual_seed(row.recorded.at("seed").get<std::uint64_t>());
    const Call& draw = calls().at(call);
    compare(draw(generator, row.count), row.recorded.at("first"), found);
    compare(draw(generator, row.count), row.recorded.at("second"), found);
    EXPECT_EQ(generator.offset(), row.recorded.at("offset_after").get<std::uint64_t>());
  }
  std::cout << fmt::format("{}: {} of {} arrays bit for bit, first values of the others within {} ulp\n", call,
                           found.exact, found.arrays, found.ulp);
}

std::vector<std::string> distinct_calls() {
  std::set<std::string> names;
  for (const Row& row : rows()) names.insert(row.call);
  return {names.begin(), names.end()};
}

INSTANTIATE_TEST_SUITE_P(, RandomTruth,
                         testing::Combine(testing::ValuesIn(backends()), testing::ValuesIn(distinct_calls())),
                         [](const auto& tested) {
                           std::string name = std::get<0>(tested.param).label + "_" + std::get<1>(tested.param);
                           for (char& letter : name) {
                             if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
                           }
                           return name;
                         });

class RandomGraphTruth : public RandomTruth {};

// A graph draws uniform numbers, a dropout and normal numbers; replayed three times, and once
// more from the seed.
TEST_P(RandomGraphTruth, EachReplayDrawsAnew) {
  const auto& backend = std::get<0>(GetParam());
  auto driver = backend.make_driver();
  if (!has_device(driver.get())) GTEST_SKIP() << "no GPU";
  bit_for_bit = driver->kind() == "cuda";
  tolerance = tolerance_ulp("normal");
  constexpr std::size_t count = 1000;
  Found found;
  Machine machine(std::move(driver));
  runtime::Runtime& runtime = machine.runtime;
  Generator& generator = default_generator(runtime);
  const device::Stream stream = runtime.current_stream();
  const Buffer<float> ones = on_device(runtime, equal_inputs<float>(1, count));
  Buffer<float> uniform(runtime, count, stream);
  Buffer<float> dropped(runtime, count, stream);
  Buffer<bool> mask(runtime, count, stream);
  Buffer<float> normal(runtime, count, stream);
  const nlohmann::json file = load_json("random_rows.json");
  for (const nlohmann::json& recorded : file.at("graph")) {
    const auto seed = recorded.at("seed").get<std::uint64_t>();
    SCOPED_TRACE(seed);
    runtime::Graph graph(runtime);
    generator.manual_seed(seed);
    graph.capture_begin();
    ops::uniform(generator, uniform.data(), count);
    ops::dropout(generator, ones.data(), dropped.data(), mask.data(), count);
    ops::normal(generator, normal.data(), count);
    graph.capture_end();
    const auto& replays = recorded.at("replays");
    for (std::size_t i = 0; i < replays.size(); ++i) {
      SCOPED_TRACE(i);
      if (i == replays.size() - 1) generator.manual_seed(seed);
      graph.replay();
      compare(read(runtime, uniform.data(), count), replays[i].at(0), found);
      compare(read(runtime, dropped.data(), count), replays[i].at(1), found);
      compare(read(runtime, normal.data(), count), replays[i].at(2), found);
      EXPECT_EQ(generator.offset(), replays[i].at(3).get<std::uint64_t>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, RandomGraphTruth,
                         testing::Combine(testing::ValuesIn(backends()), testing::Values(std::string("graph"))),
                         [](const auto& tested) { return std::get<0>(tested.param).label; });

}  // namespace
}  // namespace gpucheck::tensor::test
