#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "samples.hpp"
#include "tensor/call/layer.hpp"
#include "tensor/operators/factories/factories.hpp"

// Types of results, and what is refused for them, beside what PyTorch 2.11 answered on a GPU: data/type_promotion.json.
namespace gpucheck::tensor::test {
namespace {

using Json = nlohmann::json;

const Json& truth() {
  static const Json rows = Json::parse(std::ifstream(GPUCHECK_OPERATOR_DATA "/type_promotion.json"));
  return rows;
}

/// Binary operators; the file names others that gpucheck has not.
constexpr std::string_view binary[]{"add",     "sub", "mul", "div",         "floor_divide", "remainder", "pow",
                                    "maximum", "eq",  "lt",  "logical_and", "bitwise_and",  "atan2"};
/// Operators with one tensor.
constexpr std::string_view unary[]{"sum",  "prod", "mean", "amax",        "argmax",  "any",   "all",   "exp",
                                   "sqrt", "abs",  "neg",  "bitwise_not", "sigmoid", "round", "floor", "isnan"};

const Entry* binary_entry(const std::string& name, bool with_number) {
  const std::string base = "aten::" + name;
  const std::vector<std::string> overloads = with_number ? std::vector<std::string>{".Tensor_Scalar", ".Scalar"}
                                                         : std::vector<std::string>{".Tensor", ".Tensor_Tensor", ""};
  for (const std::string& overload : overloads) {
    if (const Entry* const entry = find_operator(base + overload)) return entry;
  }
  return nullptr;
}

/// The type of the result, or "Kind: text" of an error, cut as the file's are.
std::string dtype_answer(const Entry& entry, std::vector<Value> arguments) {
  constexpr std::size_t longest = 120;
  for (std::size_t i = arguments.size(); i < entry.schema.argument_count; ++i) {
    arguments.push_back(default_value(entry.schema.arguments()[i]));
  }
  try {
    return std::string(to_text(std::get<Tensor>(call_boxed(entry, arguments).at(0)).dtype()));
  } catch (const Error& error) {
    return (python_name(error) + ": " + error.what()).substr(0, longest);
  }
}

/// PyTorch computes in complex numbers of halves, gpucheck has none.
bool is_left_out(const std::string& expected) { return expected == "complex32"; }

/// PyTorch names the kernel in front, which is another one on the host.
std::string without_kernel_name(const std::string& text) {
  const std::size_t begin = text.find('"');
  const std::size_t end = text.find('"', begin + 1);
  return text.starts_with("NotImplementedError") && end != std::string::npos
             ? text.substr(0, begin) + text.substr(end + 1)
             : text;
}

void expect_answer(const std::string& found, const Json& expected_json) {
  const auto expected = expected_json.get<std::string>();
  if (is_left_out(expected)) {
    EXPECT_TRUE(found.starts_with("NotImplementedError")) << found;
  } else {
    EXPECT_EQ(without_kernel_name(found), without_kernel_name(expected));
  }
}

class Promotion : public testing::TestWithParam<std::string_view> {};

TEST_P(Promotion, OfTwoTensors) {
  const std::string key(GetParam());
  const Entry* const entry = binary_entry(key, false);
  ASSERT_NE(entry, nullptr);
  for (const DType a : all_dtypes) {
    for (const DType b : all_dtypes) {
      SCOPED_TRACE(std::string(to_text(a)) + " and " + std::string(to_text(b)));
      const std::string one(to_text(a));
      const std::string other(to_text(b));
      expect_answer(dtype_answer(*entry, {ones({2}, a), ones({2}, b)}), truth().at(key).at(one).at(other));
      expect_answer(dtype_answer(*entry, {ones({2}, a), ones({}, b)}),
                    truth().at(key + "_zero_dim_right").at(one).at(other));
    }
  }
}

TEST_P(Promotion, OfATensorAndANumber) {
  const std::string key(GetParam());
  const Entry* const entry = binary_entry(key, true);
  const std::map<std::string, Scalar> numbers{
      {"_scalar_int", 2}, {"_scalar_float", 1.5}, {"_scalar_bool", true}, {"_scalar_complex", Scalar::Complex(0, 1)}};
  for (const auto& [ending, number] : numbers) {
    for (const DType a : all_dtypes) {
      SCOPED_TRACE(std::string(to_text(a)) + ending);
      const Json& expected = truth().at(key + ending).at(std::string(to_text(a)));
      if (entry == nullptr) {
        EXPECT_TRUE(expected.get<std::string>().starts_with("TypeError")) << "PyTorch takes a number here";
      } else {
        expect_answer(dtype_answer(*entry, {ones({2}, a), number}), expected);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Binary, Promotion, testing::ValuesIn(std::begin(binary), std::end(binary)),
                         [](const auto& info) { return std::string(info.param); });

class ResultOfOne : public testing::TestWithParam<std::string_view> {};

TEST_P(ResultOfOne, HasPyTorchsType) {
  const std::string key(GetParam());
  const Entry* const entry = find_operator("aten::" + key);
  ASSERT_NE(entry, nullptr);
  for (const DType dtype : all_dtypes) {
    SCOPED_TRACE(to_text(dtype));
    expect_answer(dtype_answer(*entry, {ones({2}, dtype)}), truth().at(key).at(std::string(to_text(dtype))));
  }
}

INSTANTIATE_TEST_SUITE_P(Unary, ResultOfOne, testing::ValuesIn(std::begin(unary), std::end(unary)),
                         [](const auto& info) { return std::string(info.param); });

TEST(PromoteTypes, IsPyTorchs) {
  for (const DType a : all_dtypes) {
    for (const DType b : all_dtypes) {
      EXPECT_EQ(to_text(promote(a, b)),
                truth().at("promote_types").at(std::string(to_text(a))).at(std::string(to_text(b))).get<std::string>())
          << to_text(a) << " " << to_text(b);
    }
  }
}

}  // namespace
}  // namespace gpucheck::tensor::test
