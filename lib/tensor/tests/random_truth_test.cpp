#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "device/sim/sim_driver.hpp"
#include "runtime/graphs/graph.hpp"
#include "tensor/benchmarks/gpu.hpp"
#include "tensor/ops.hpp"
#include "tensor/random/inputs.hpp"
#include "tensor/tests/random_calls.hpp"
#include "tensor/tests/sha256.hpp"

// What PyTorch drew, on a device with 132 multiprocessors, is what is drawn here: on a GPU of as
// many bit for bit, on the simulated one but for the last bits of a few distributions.
// data/README.md says how the rows were recorded.
namespace gpucheck::tensor::test {
namespace {

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
