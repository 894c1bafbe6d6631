#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

/// What an operator is called with and what it returns, in PyTorch's notation:
/// "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor".
namespace gpucheck::tensor {

/// What an argument can be.
enum class ArgumentKind : std::uint8_t {
  tensor,
  scalar,
  integer,
  real,
  boolean,
  dtype,
  device,
  text,
  generator,
  layout,
  memory_format,
};

struct ArgumentType {
  ArgumentKind kind = ArgumentKind::tensor;
  bool is_symbolic = false;  ///< "SymInt", which is an integer here
  bool is_list = false;
  std::uint8_t list_size = 0;       ///< of "int[2]", for which one number stands as well; 0 for "int[]"
  bool has_optional_items = false;  ///< "Tensor?[]"
  bool is_optional = false;
  bool operator==(const ArgumentType&) const = default;
};

/// Which storage a tensor has: "(a)" shares that of the others with the letter, "(a!)" is also written.
struct Alias {
  char set = '\0';  ///< none
  bool is_written = false;
  bool operator==(const Alias&) const = default;
};

struct Argument {
  std::string_view name;
  ArgumentType type;
  Alias alias;
  std::string_view default_text;  ///< empty where it must be given
  bool is_keyword = false;        ///< behind the "*"
};

struct Result {
  std::string_view name;  ///< may be empty
  ArgumentType type;
  Alias alias;
};

/// How an operator gives its result: as a new tensor, in its first argument, or in one that is passed for it.
enum class Form : std::uint8_t { functional, in_place, out };

struct Schema {
  static constexpr std::size_t max_arguments = 16;
  static constexpr std::size_t max_results = 5;

  std::string_view base_name;      ///< "add"
  std::string_view overload_name;  ///< "Tensor"; may be empty
  Form form = Form::functional;
  std::array<Argument, max_arguments> argument_storage{};
  std::array<Result, max_results> result_storage{};
  std::size_t argument_count = 0;
  std::size_t result_count = 0;

  [[nodiscard]] constexpr std::span<const Argument> arguments() const {
    return {argument_storage.data(), argument_count};
  }
  [[nodiscard]] constexpr std::span<const Result> results() const { return {result_storage.data(), result_count}; }
  /// "add" or, in place, "add_".
  [[nodiscard]] std::string name() const;
  /// "aten::add.Tensor", as traces name it.
  [[nodiscard]] std::string qualified_name() const;
  /// The notation.
  [[nodiscard]] std::string text() const;
};

/// "Tensor[]?", "int", as the notation has it.
[[nodiscard]] std::string to_text(const ArgumentType& type);

/// A notation that is wrong: a mistake in gpucheck's sources. In a constant expression it does not compile.
class SchemaError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

/// Reads the notation from front to back.
class SchemaParser {
 public:
  constexpr explicit SchemaParser(std::string_view text) : rest_(text) {}

  constexpr Schema parse() {
    Schema schema;
    schema.base_name = word();
    if (skip('.')) schema.overload_name = word();
    expect('(');
    read_arguments(schema);
    expect_text("->");
    read_results(schema);
    if (!rest_.empty()) throw SchemaError("text behind the results");
    if (schema.base_name.ends_with('_') && !schema.base_name.starts_with('_')) {
      schema.form = Form::in_place;
      schema.base_name.remove_suffix(1);
    } else if (schema.argument_count > 0 && schema.arguments().back().alias.is_written &&
               schema.arguments().back().is_keyword) {
      schema.form = Form::out;
    }
    return schema;
  }

 private:
  constexpr void skip_space() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  constexpr bool skip(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  constexpr void expect(char wanted) {
    if (!skip(wanted)) throw SchemaError("a character is missing");
  }
  constexpr void expect_text(std::string_view wanted) {
    skip_space();
    if (!rest_.starts_with(wanted)) throw SchemaError("the arrow is missing");
    rest_.remove_prefix(wanted.size());
  }
  static constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  constexpr std::string_view word() {
    skip_space();
    std::size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    if (length == 0) throw SchemaError("a name is missing");
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

  static constexpr ArgumentKind kind_of(std::string_view name) {
    if (name == "Tensor") return ArgumentKind::tensor;
    if (name == "Scalar") return ArgumentKind::scalar;
    if (name == "int" || name == "SymInt") return ArgumentKind::integer;
    if (name == "float") return ArgumentKind::real;
    if (name == "bool") return ArgumentKind::boolean;
    if (name == "ScalarType") return ArgumentKind::dtype;
    if (name == "Device") return ArgumentKind::device;
    if (name == "str") return ArgumentKind::text;
    if (name == "Generator") return ArgumentKind::generator;
    if (name == "Layout") return ArgumentKind::layout;
    if (name == "MemoryFormat") return ArgumentKind::memory_format;
    throw SchemaError("a type that is not known");
  }
  struct TypeAndAlias {
    ArgumentType type;
    Alias alias;
  };
  constexpr TypeAndAlias type() {
    const std::string_view name = word();
    TypeAndAlias read{.type = {.kind = kind_of(name), .is_symbolic = name == "SymInt"}, .alias = {}};
    if (skip('(')) {
      read.alias.set = word().front();
      read.alias.is_written = skip('!');
      expect(')');
    }
    read.type.is_optional = skip('?');
    if (!skip('[')) return read;
    read.type.is_list = true;
    read.type.has_optional_items = read.type.is_optional;
    for (; !skip(']'); rest_.remove_prefix(1)) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') throw SchemaError("a bracket is missing");
      read.type.list_size = static_cast<std::uint8_t>(read.type.list_size * 10 + (rest_.front() - '0'));
    }
    read.type.is_optional = skip('?');
    return read;
  }
  /// Up to the comma or bracket that ends it.
  constexpr std::string_view default_text() {
    skip_space();
    std::size_t length = 0;
    bool in_list = false;
    for (; length < rest_.size(); ++length) {
      const char c = rest_[length];
      if (c == '[') in_list = true;
      if (c == ']') in_list = false;
      if (!in_list && (c == ',' || c == ')')) break;
    }
    if (length == 0) throw SchemaError("a default is missing");
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }
  constexpr void read_arguments(Schema& schema) {
    bool is_keyword = false;
    while (!skip(')')) {
      if (schema.argument_count > 0 || is_keyword) expect(',');
      if (skip('*')) {
        is_keyword = true;
        continue;
      }
      if (schema.argument_count == Schema::max_arguments) throw SchemaError("too many arguments");
      const TypeAndAlias read = type();
      Argument& argument = schema.argument_storage[schema.argument_count++];
      argument = {.name = word(), .type = read.type, .alias = read.alias, .default_text = {}, .is_keyword = is_keyword};
      if (skip('=')) argument.default_text = default_text();
    }
  }
  constexpr void read_results(Schema& schema) {
    if (!skip('(')) return add_result(schema);
    while (!skip(')')) {
      if (schema.result_count > 0) expect(',');
      add_result(schema);
    }
  }
  constexpr void add_result(Schema& schema) {
    if (schema.result_count == Schema::max_results) throw SchemaError("too many results");
    const TypeAndAlias read = type();
    skip_space();
    Result& result = schema.result_storage[schema.result_count++];
    result = {.name = {}, .type = read.type, .alias = read.alias};
    if (!rest_.empty() && is_word(rest_.front())) result.name = word();
  }

  std::string_view rest_;
};

}  // namespace detail

/// What the notation says; views of its text. @throws SchemaError.
constexpr Schema parse_schema(std::string_view text) { return detail::SchemaParser(text).parse(); }

/// The schema of the same operator in place: the first argument is written and returned. "add_.Tensor(Tensor(a!) self,
/// …)
/// -> Tensor(a!)".
constexpr Schema in_place_schema(Schema schema) {
  schema.form = Form::in_place;
  schema.argument_storage[0].alias = schema.result_storage[0].alias = {'a', true};
  return schema;
}

/// The schema of the same operator with tensors for its results, which it writes and returns. Results without a name
/// are called "out". @param overload_name of that one.
constexpr Schema out_schema(Schema schema, std::string_view overload_name) {
  schema.form = Form::out;
  schema.overload_name = overload_name;
  std::size_t kept = 0;
  // What makes a new tensor is of no use to one that is there.
  for (std::size_t i = 0; i < schema.argument_count; ++i) {
    const Argument& argument = schema.argument_storage[i];
    const bool is_of_factory =
        argument.is_keyword && (argument.type.kind == ArgumentKind::device ||
                                argument.type.kind == ArgumentKind::layout || argument.name == "pin_memory");
    if (!is_of_factory) schema.argument_storage[kept++] = argument;
  }
  schema.argument_count = kept;
  for (std::size_t i = 0; i < schema.result_count; ++i) {
    if (schema.argument_count == Schema::max_arguments) throw SchemaError("too many arguments");
    Result& result = schema.result_storage[i];
    result.alias = {static_cast<char>('a' + i), true};
    schema.argument_storage[schema.argument_count++] = {.name = result.name.empty() ? "out" : result.name,
                                                        .type = result.type,
                                                        .alias = result.alias,
                                                        .default_text = {},
                                                        .is_keyword = true};
  }
  return schema;
}

}  // namespace gpucheck::tensor
