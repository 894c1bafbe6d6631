#include "tensor/schema/schema.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tensor/call/defaults.hpp"
#include "tensor/call/entry.hpp"

namespace gpucheck::tensor::test {
namespace {

TEST(SchemaText, IsReadAndWrittenTheSame) {
  const std::vector<std::string> texts{
      "neg(Tensor self) -> Tensor",
      "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
      "sum.IntList_out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> "
      "Tensor(a!)",
      "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
      "cat(Tensor[] tensors, int dim=0) -> Tensor",
      "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
      "view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
      "conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=[0, 0]) -> Tensor",
      "nothing(Generator? generator=None, str text='mean', float eps=1e-05) -> ()",
  };
  for (const std::string& text : texts) EXPECT_EQ(parse_schema(text).text(), text);
}

TEST(SchemaText, SaysWhatEachArgumentIs) {
  const Schema schema =
      parse_schema("f.o(Tensor(a!) self, int[2]? sizes, *, ScalarType? dtype=None) -> (Tensor(a!), bool flag)");
  EXPECT_EQ(schema.base_name, "f");
  EXPECT_EQ(schema.overload_name, "o");
  EXPECT_EQ(schema.qualified_name(), "aten::f.o");
  ASSERT_EQ(schema.argument_count, 3U);
  EXPECT_EQ(schema.arguments()[0].alias, (Alias{'a', true}));
  EXPECT_EQ(schema.arguments()[1].type,
            (ArgumentType{.kind = ArgumentKind::integer, .is_list = true, .list_size = 2, .is_optional = true}));
  EXPECT_TRUE(schema.arguments()[1].default_text.empty());
  EXPECT_FALSE(schema.arguments()[1].is_keyword);
  EXPECT_TRUE(schema.arguments()[2].is_keyword);
  EXPECT_EQ(schema.arguments()[2].default_text, "None");
  ASSERT_EQ(schema.result_count, 2U);
  EXPECT_EQ(schema.results()[1].name, "flag");
}

TEST(SchemaText, FormsAreReadFromIt) {
  EXPECT_EQ(parse_schema("f(Tensor self) -> Tensor").form, Form::functional);
  EXPECT_EQ(parse_schema("f_(Tensor(a!) self) -> Tensor(a!)").form, Form::in_place);
  EXPECT_EQ(parse_schema("f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)").form, Form::out);
  EXPECT_EQ(parse_schema("_f(Tensor self) -> Tensor").form, Form::functional);
}

TEST(SchemaText, OtherFormsFollowFromIt) {
  const Schema add = parse_schema("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  EXPECT_EQ(in_place_schema(add).text(), "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  EXPECT_EQ(out_schema(add, "out").text(),
            "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)");
  const Schema max = parse_schema("max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)");
  EXPECT_EQ(out_schema(max, "dim_max").text(),
            "max.dim_max(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, "
            "Tensor(b!) indices)");
  const Schema ones = parse_schema("ones(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor");
  EXPECT_EQ(out_schema(ones, "out").text(),
            "ones.out(int[] size, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)");
}

TEST(SchemaText, MistakesAreFound) {
  for (const char* text :
       {"", "f", "f(", "f()", "f() ->", "f(Tensor) -> Tensor", "f(Tenser a) -> Tensor", "f(Tensor a -> Tensor",
        "f(Tensor a,) -> Tensor", "f(int a=) -> Tensor", "f(Tensor a) -> Tensor more still", "f(Tensor[ a) -> Tensor",
        "f(Tensor(a a) -> Tensor", "f(Tensor a) -> (Tensor"}) {
    EXPECT_THROW(static_cast<void>(parse_schema(text)), SchemaError) << text;
  }
  std::string many = "f(int a0";
  for (std::size_t i = 1; i < Schema::max_arguments; ++i) many += ", int a" + std::to_string(i);
  EXPECT_EQ(parse_schema(many + ") -> Tensor").argument_count, Schema::max_arguments);
  EXPECT_THROW(static_cast<void>(parse_schema(many + ", int more) -> Tensor")), SchemaError);
}

TEST(SchemaDefault, IsReadAsItsType) {
  EXPECT_TRUE(parse_default<bool>("True"));
  EXPECT_FALSE(parse_default<bool>("False"));
  EXPECT_EQ(parse_default<std::int64_t>("-100"), -100);
  EXPECT_EQ(parse_default<double>("1e-05"), 1e-05);
  EXPECT_EQ(parse_default<Scalar>("1"), Scalar(1));
  EXPECT_EQ(parse_default<Scalar>("0.5"), Scalar(0.5));
  EXPECT_EQ(parse_default<Scalar>("True"), Scalar(true));
  EXPECT_EQ(parse_default<Sizes>("[0, -1, 22]"), (Sizes{0, -1, 22}));
  EXPECT_EQ(parse_default<Sizes>("[]"), Sizes{});
  EXPECT_EQ(parse_default<Sizes>("3"), (Sizes{3}));
  EXPECT_EQ(parse_default<std::string>("'mean'"), "mean");
  EXPECT_EQ(parse_default<std::optional<DType>>("None"), std::nullopt);
  EXPECT_EQ(parse_default<std::optional<DType>>("float32"), DType::float32);
  EXPECT_FALSE(parse_default<Tensor>("None").defined());
  for (const char* text : {"true", "1"}) EXPECT_THROW(static_cast<void>(parse_default<bool>(text)), SchemaError);
  for (const char* text : {"", "1x", "[1"}) EXPECT_THROW(static_cast<void>(parse_default<Sizes>(text)), SchemaError);
  EXPECT_THROW(static_cast<void>(parse_default<std::int64_t>("1.5")), SchemaError);
  EXPECT_THROW(static_cast<void>(parse_default<Tensor>("1")), SchemaError);
}

TEST(OperatorRegistry, EverySchemaReadsBack) {
  ASSERT_FALSE(all_operators().empty());
  for (const Entry& entry : all_operators()) {
    const std::string text = entry.schema.text();
    EXPECT_EQ(parse_schema(text).text(), text);
    EXPECT_EQ(parse_schema(text).form, entry.schema.form) << text;
    EXPECT_EQ(find_operator(entry.schema.qualified_name()), &entry);
  }
  EXPECT_EQ(find_operator("aten::nothing"), nullptr);
}

}  // namespace
}  // namespace gpucheck::tensor::test
