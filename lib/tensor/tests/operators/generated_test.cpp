#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "closeness.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/runtime.hpp"
#include "samples.hpp"
#include "tensor/benchmarks/gpu.hpp"
#include "tensor/call/layer.hpp"
#include "tensor/operators/copies/copies.hpp"

// Every operator that computes tensors from tensors alone, from its schema: on a device what it does on the host, in
// each of its forms, for every type and way to lie. What a schema cannot say, what is right, is tested beside each
// family.
namespace gpucheck::tensor::test {
namespace {

/// A device to compare with the host: simulated, or a GPU where there is one.
class TestedDevice {
 public:
  explicit TestedDevice(std::unique_ptr<device::Driver> driver) : driver_(std::move(driver)) {
    if (driver_ == nullptr) return;
    if (const auto count = driver_->device_count(); !count || count.value() == 0) return;
    device_ = driver_->open(0).value();
    runtime_ = std::make_unique<runtime::Runtime>(*device_);
  }
  [[nodiscard]] bool is_there() const { return runtime_ != nullptr; }
  [[nodiscard]] Device device() const { return *runtime_; }

 private:
  std::unique_ptr<device::Driver> driver_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<runtime::Runtime> runtime_;
};

TestedDevice& simulated() {
  static TestedDevice device(sim::make_driver({.profile = sim::profile("h100")}));
  return device;
}
TestedDevice& gpu() {
  static TestedDevice device(benchmarks::make_gpu_driver());
  return device;
}

/// What a call gave: its results, or the text of what it threw.
struct Answer {
  std::vector<Tensor> results;
  std::string error;
};

Answer answer_of(const Entry& entry, const std::vector<Value>& arguments) {
  try {
    Answer answer;
    for (const Value& result : call_boxed(entry, arguments)) answer.results.push_back(std::get<Tensor>(result));
    return answer;
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

/// Texts without what tells host and device apart: "torch.cuda.FloatTensor", the kernel's name in front of what it is
/// not implemented for.
std::string without_device(std::string text) {
  if (text.starts_with('"')) text.erase(0, text.find('"', 1) + 1);
  constexpr std::string_view name = "torch.cuda.";
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) text.replace(at, name.size(), "torch.");
  return text;
}

void expect_same(const Answer& expected, const Answer& found, const Tolerance& tolerance = {}) {
  ASSERT_EQ(without_device(found.error), without_device(expected.error));
  for (std::size_t i = 0; i < expected.results.size(); ++i) {
    EXPECT_EQ(found.results[i].dtype(), expected.results[i].dtype());
    EXPECT_EQ(found.results[i].sizes(), expected.results[i].sizes());
    EXPECT_EQ(found.results[i].strides(), expected.results[i].strides());
    EXPECT_EQ(difference_of(found.results[i], expected.results[i], tolerance), "");
  }
}

/// Whether arguments can be made from the schema, and the result depends on them alone.
bool is_generated(const Entry& entry) {
  const auto is_tensor = [](const auto& described) {
    return described.type == ArgumentType{.kind = ArgumentKind::tensor};
  };
  const auto arguments = entry.schema.arguments();
  return entry.schema.form == Form::functional && !arguments.empty() && is_tensor(arguments[0]) &&
         std::ranges::all_of(entry.schema.results(), is_tensor) && !entry.schema.results().empty() &&
         std::ranges::none_of(arguments, [](const Argument& argument) {
           return argument.type.kind == ArgumentKind::generator || argument.type.kind == ArgumentKind::device ||
                  argument.alias.is_written;
         });
}

std::vector<const Entry*> generated_entries() {
  std::vector<const Entry*> entries;
  for (const Entry& entry : all_operators()) {
    if (is_generated(entry)) entries.push_back(&entry);
  }
  return entries;
}

std::string name_of(const testing::TestParamInfo<const Entry*>& info) {
  std::string name = info.param->schema.qualified_name();
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

class GeneratedOperator : public testing::TestWithParam<const Entry*> {
 protected:
  const Entry& entry = *GetParam();

  /// Calls `check` with arguments of each type and set of shapes, and with what the operator gives for them on the
  /// host.
  void for_each_sample(const std::function<void(const std::vector<Value>&, const Answer&)>& check) const {
    for (const DType dtype : all_dtypes) {
      SCOPED_TRACE(to_text(dtype));
      for (const ShapeSet& shapes : shape_sets()) {
        SCOPED_TRACE(shapes.name);
        const std::vector<Value> arguments = make_arguments(entry.schema, shapes, dtype);
        check(arguments, answer_of(entry, arguments));
      }
    }
  }
  /// The operator's entry of another form; null where it has none.
  [[nodiscard]] const Entry* other_form(Form form) const {
    const std::size_t written = form == Form::out ? entry.schema.result_count : 0;
    const auto is_same = [](const Argument& one, const Argument& other) {
      return one.name == other.name && one.type == other.type;
    };
    for (const Entry& other : all_operators()) {
      const bool has_same_arguments =
          other.schema.base_name == entry.schema.base_name && other.schema.form == form &&
          other.schema.argument_count == entry.schema.argument_count + written &&
          std::ranges::equal(entry.schema.arguments(), other.schema.arguments().first(entry.schema.argument_count),
                             is_same);
      if (has_same_arguments) return &other;
    }
    return nullptr;
  }
  /// PyTorch multiplies matrices of whole numbers on the host alone.
  [[nodiscard]] bool is_refused_on_devices(DType dtype) const {
    constexpr std::string_view products[]{"mm",  "addmm",   "mv",     "addmv",  "dot",
                                          "bmm", "baddbmm", "addbmm", "matmul", "linear"};
    return is_integral(dtype) && std::ranges::find(products, entry.schema.base_name) != std::end(products);
  }
  void compare_with(TestedDevice& tested, const Tolerance& tolerance) const {
    if (!tested.is_there()) GTEST_SKIP() << "there is no such device here";
    for_each_sample([&](const std::vector<Value>& arguments, const Answer& on_host) {
      if (on_host.error.empty() && is_refused_on_devices(std::get<Tensor>(arguments[0]).dtype())) {
        const Answer refused = answer_of(entry, on_device(arguments, tested.device()));
        EXPECT_NE(refused.error.find(" not implemented for '"), std::string::npos) << refused.error;
        return;
      }
      expect_same(on_host, answer_of(entry, on_device(arguments, tested.device())), tolerance);
    });
  }
};

TEST_P(GeneratedOperator, OnASimulatedDeviceDoesWhatItDoesOnTheHost) {
  // The same functions: only the order of what is combined may be another.
  const Tolerance on_gpu = tolerance_of(entry.schema.base_name);
  compare_with(simulated(), on_gpu.depends_on_order ? on_gpu : Tolerance{.zero_of_any_sign = on_gpu.zero_of_any_sign});
}
TEST_P(GeneratedOperator, OnAGpuDoesWhatItDoesOnTheHost) { compare_with(gpu(), tolerance_of(entry.schema.base_name)); }

TEST_P(GeneratedOperator, LeavesItsArgumentsAsTheyWere) {
  for_each_sample([&](const std::vector<Value>& arguments, const Answer&) {
    const std::vector<Value> again = arguments;
    const auto fresh = [&](std::size_t i) { return std::get_if<Tensor>(&arguments[i]); };
    std::vector<std::vector<std::byte>> before;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      before.push_back(fresh(i) ? bytes_of(*fresh(i)) : std::vector<std::byte>{});
    static_cast<void>(answer_of(entry, again));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (fresh(i) == nullptr) continue;
      EXPECT_EQ(bytes_of(*fresh(i)), before[i]);
    }
  });
}

TEST_P(GeneratedOperator, InPlaceStoresTheResultInItsFirstArgument) {
  const Entry* const in_place = other_form(Form::in_place);
  if (in_place == nullptr) GTEST_SKIP() << "it has no such form";
  for_each_sample([&](const std::vector<Value>& arguments, const Answer& functional) {
    std::vector<Value> given = arguments;
    const Tensor self = clone(std::get<Tensor>(arguments[0]));
    given[0] = self;
    const std::uint64_t version = self.version();
    const Answer found = answer_of(*in_place, given);
    if (!functional.error.empty()) {
      // A shape that does not fit may be found out before what refuses the types.
      if (found.error.starts_with("output with shape ") || found.error.starts_with("Bad in-place call: ")) return;
      EXPECT_EQ(found.error, functional.error);
    } else if (functional.results[0].sizes() != self.sizes()) {
      const std::string given_size = to_text(self.sizes());
      const std::string size = to_text(functional.results[0].sizes());
      EXPECT_TRUE(found.error == "output with shape " + given_size + " doesn't match the broadcast shape " + size ||
                  found.error == "Bad in-place call: input tensor size " + given_size + " and output tensor size " +
                                     size + " should match")
          << found.error;
    } else if (entry.schema.base_name == "abs" && is_complex(self.dtype())) {
      EXPECT_EQ(found.error, "In-place abs is not supported for complex tensors.");
    } else if (can_cast(functional.results[0].dtype(), self.dtype())) {
      ASSERT_EQ(found.error, "");
      EXPECT_TRUE(found.results[0].is_same(self));
      EXPECT_GT(self.version(), version);
      EXPECT_EQ(bytes_of(self), bytes_of(to(functional.results[0], self.dtype())));
    }
  });
}

TEST_P(GeneratedOperator, OutIsResizedWrittenAndReturned) {
  const Entry* const with_out = other_form(Form::out);
  if (with_out == nullptr) GTEST_SKIP() << "it has no such form";
  for_each_sample([&](const std::vector<Value>& arguments, const Answer& functional) {
    if (!functional.error.empty()) return;
    const Sizes& expected = functional.results[0].sizes();
    for (const Shape& shape : {Shape{expected}, Shape{expected, Lay::every_second}, Shape{{3, 1, 2}}}) {
      std::vector<Value> given = arguments;
      for (const Tensor& result : functional.results) given.emplace_back(make_sample(shape, result.dtype(), 5));
      const Answer found = answer_of(*with_out, given);
      ASSERT_EQ(found.error, "");
      for (std::size_t i = 0; i < found.results.size(); ++i) {
        const Tensor& out = std::get<Tensor>(given[arguments.size() + i]);
        EXPECT_TRUE(found.results[i].is_same(out));
        EXPECT_EQ(out.sizes(), expected);
        EXPECT_EQ(bytes_of(out), bytes_of(functional.results[i]));
      }
    }
  });
}

TEST_P(GeneratedOperator, IsNotWrittenWhereElementsShareAPlace) {
  const Entry* const with_out = other_form(Form::out);
  if (with_out == nullptr) GTEST_SKIP() << "it has no such form";
  for (const DType dtype : all_dtypes) {
    const std::vector<Value> arguments = make_arguments(entry.schema, {"matrix", {{{4, 5}}}}, dtype);
    const Answer functional = answer_of(entry, arguments);
    if (!functional.error.empty() || functional.results[0].rank() == 0) continue;
    std::vector<Value> given = arguments;
    for (const Tensor& result : functional.results) {
      given.emplace_back(make_sample({result.sizes(), Lay::expanded}, result.dtype(), 1));
    }
    EXPECT_EQ(
        answer_of(*with_out, given).error,
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
        "Please clone() the tensor before performing the operation.");
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, GeneratedOperator, testing::ValuesIn(generated_entries()), name_of);

}  // namespace
}  // namespace gpucheck::tensor::test
