#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/call/defaults.hpp"
#include "tensor/call/entry.hpp"
#include "tensor/call/layer.hpp"
#include "tensor/core/value.hpp"
#include "tensor/schema/schema.hpp"

/// Typed calls of operators, from the same notation that the registry has: how many arguments there are and of which
/// types is checked when a call is compiled.
///
///     struct NegNotation {
///       static constexpr std::string_view text = "neg(Tensor self) -> Tensor";
///     };
///     inline constexpr Operator<NegNotation> neg;
///     const Tensor b = neg(a);
namespace gpucheck::tensor {

/// A short name that is a parameter of a template. Of a whole notation the linker's names would be as long as a page.
template <std::size_t Size>
struct OverloadName {
  char text[Size];
  consteval OverloadName(const char (&literal)[Size]) {  // NOLINT(google-explicit-constructor): a literal is meant
    for (std::size_t i = 0; i < Size; ++i) text[i] = literal[i];
  }
  [[nodiscard]] constexpr std::string_view view() const { return {text, Size - 1}; }
};

namespace detail {

/// What stands for an argument of the type in C++.
template <ArgumentKind kind>
struct Plain;
template <>
struct Plain<ArgumentKind::tensor> {
  using type = Tensor;
};
template <>
struct Plain<ArgumentKind::scalar> {
  using type = Scalar;
};
template <>
struct Plain<ArgumentKind::integer> {
  using type = std::int64_t;
};
template <>
struct Plain<ArgumentKind::real> {
  using type = double;
};
template <>
struct Plain<ArgumentKind::boolean> {
  using type = bool;
};
template <>
struct Plain<ArgumentKind::dtype> {
  using type = DType;
};
template <>
struct Plain<ArgumentKind::device> {
  using type = Device;
};
template <>
struct Plain<ArgumentKind::text> {
  using type = std::string;
};
template <>
struct Plain<ArgumentKind::generator> {
  using type = GeneratorChoice;
};
template <>
struct Plain<ArgumentKind::layout> {
  using type = TensorLayout;
};
template <>
struct Plain<ArgumentKind::memory_format> {
  using type = MemoryFormat;
};

/// The argument as a value. An undefined tensor, or no generator, stands for none.
template <ArgumentKind kind, bool is_list, bool is_optional>
struct Stored {
  using Item = typename Plain<kind>::type;
  static constexpr bool has_none = kind == ArgumentKind::tensor || kind == ArgumentKind::generator;
  using type = std::conditional_t<is_optional && !has_none, std::optional<Item>, Item>;
};
template <ArgumentKind kind, bool is_optional>
struct Stored<kind, true, is_optional> {
  static_assert(kind == ArgumentKind::tensor || kind == ArgumentKind::integer, "lists of these two only");
  using List = std::conditional_t<kind == ArgumentKind::tensor, std::vector<Tensor>, Sizes>;
  using OptionalList = std::conditional_t<kind == ArgumentKind::tensor, std::optional<List>, OptionalSizes>;
  using type = std::conditional_t<is_optional, OptionalList, List>;
};

/// As it is passed: by value what registers hold.
template <typename T>
using Passed = std::conditional_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 16, T, const T&>;

/// The operator with its first arguments given and the defaults of the others.
template <typename Operator, typename Returned, typename... Arguments>
struct CallableWith {
  Returned operator()(Arguments... arguments) const { return Operator::call(arguments...); }
};

template <typename... Callables>
struct CallableWithAny : Callables... {
  using Callables::operator()...;
};

/// What calls need of the schema that `Description::schema` is.
template <typename Description>
struct Types {
  static constexpr std::size_t argument_count = Description::schema.argument_count;
  static constexpr std::size_t result_count = Description::schema.result_count;
  /// How many must be given.
  static constexpr std::size_t required_count = [] {
    std::size_t required = 0;
    for (std::size_t i = 0; i < argument_count; ++i) {
      if (Description::schema.argument_storage[i].default_text.empty()) required = i + 1;
    }
    return required;
  }();

  template <std::size_t place>
  using Argument = typename Stored<Description::schema.argument_storage[place].type.kind,
                                   Description::schema.argument_storage[place].type.is_list,
                                   Description::schema.argument_storage[place].type.is_optional>::type;
  template <std::size_t place>
  using Result = typename Stored<Description::schema.result_storage[place].type.kind,
                                 Description::schema.result_storage[place].type.is_list, false>::type;

  template <std::size_t... places>
  static std::tuple<Result<places>...> results_of(std::index_sequence<places...>);
  static auto returned() {
    if constexpr (result_count == 0) {
      return std::type_identity<void>{};
    } else if constexpr (result_count == 1) {
      return std::type_identity<Result<0>>{};
    } else {
      return std::type_identity<decltype(results_of(std::make_index_sequence<result_count>{}))>{};
    }
  }
  using Returned = typename decltype(returned())::type;

  template <std::size_t... places>
  static auto function_of(std::index_sequence<places...>) -> Returned (*)(Passed<Argument<places>>...);
  using Function = decltype(function_of(std::make_index_sequence<argument_count>{}));

  template <typename Operator, std::size_t... places>
  static CallableWith<Operator, Returned, Passed<Argument<places>>...> callable(std::index_sequence<places...>);
  template <typename Operator, std::size_t... left_out>
  static CallableWithAny<decltype(callable<Operator>(std::make_index_sequence<argument_count - left_out>{}))...>
      callables(std::index_sequence<left_out...>);
  template <typename Operator>
  using Callables = decltype(callables<Operator>(std::make_index_sequence<argument_count - required_count + 1>{}));
};

}  // namespace detail

/// A typed operator: an object without state that is called. Its kernel and entry are bound by the registry, which the
/// first call of any operator collects. Any thread may call. @throws what the kernel and the layers throw;
/// NotImplementedError where nothing defines the operator.
template <typename Description>
class TypedOperator : public detail::Types<Description>::template Callables<TypedOperator<Description>> {
  using Types = detail::Types<Description>;

 public:
  using Function = typename Types::Function;
  using Returned = typename Types::Returned;
  static constexpr Schema schema = Description::schema;

  /// The registry's entry for `kernel`, which gets all arguments.
  template <Function kernel>
  [[nodiscard]] static Entry entry(const Traits& traits) {
    return {.schema = schema, .traits = traits, .run = &run<kernel>, .bind = &bind<kernel>};
  }

  /// With the first arguments given: `operator()` of each number of them comes here.
  template <typename... Given>
  static Returned call(Given&&... given) {
    return call_whole(std::make_index_sequence<Types::argument_count - sizeof...(Given)>{}, given...);
  }

 private:
  template <std::size_t... missing, typename... Given>
  static Returned call_whole(std::index_sequence<missing...>, Given&... given) {
    if (detail::active_layers.mask == 0) [[likely]] {
      return function_.load(std::memory_order_acquire)(given..., default_of<sizeof...(Given) + missing>()...);
    }
    return call_with_layers(given..., default_of<sizeof...(Given) + missing>()...);
  }

  template <std::size_t place>
  static const auto& default_of() {
    using Argument = typename Types::template Argument<place>;
    static const Argument value = parse_default<Argument>(schema.argument_storage[place].default_text);
    return value;
  }

  template <typename... Arguments>
  static Returned call_with_layers(const Arguments&... arguments) {
    const Entry* const entry = bound_entry();
    std::array<Value, Types::argument_count> given{to_value(arguments)...};
    std::array<Value, Types::result_count> results;
    Call call{*entry, given, results};
    call_through_layers(call);
    return unbox(results, std::make_index_sequence<Types::result_count>{});
  }

  template <std::size_t... places>
  static Returned unbox(const std::array<Value, Types::result_count>& results, std::index_sequence<places...>) {
    if constexpr (Types::result_count == 1) {
      return from_value<Returned>(results[0]);
    } else if constexpr (Types::result_count > 1) {
      return Returned{from_value<typename Types::template Result<places>>(results[places])...};
    }
  }

  template <Function kernel>
  static void run(Call& call) {
    run_with<kernel>(call, std::make_index_sequence<Types::argument_count>{},
                     std::make_index_sequence<Types::result_count>{});
  }
  template <Function kernel, std::size_t... places, std::size_t... results>
  static void run_with(Call& call, std::index_sequence<places...>, std::index_sequence<results...>) {
    const auto given = [&] {
      if constexpr (Types::result_count == 0) {
        kernel(from_value<typename Types::template Argument<places>>(call.arguments[places])...);
        return std::tuple<>{};
      } else if constexpr (Types::result_count == 1) {
        return std::tuple<Returned>{
            kernel(from_value<typename Types::template Argument<places>>(call.arguments[places])...)};
      } else {
        return kernel(from_value<typename Types::template Argument<places>>(call.arguments[places])...);
      }
    }();
    ((call.results[results] = to_value(std::get<results>(given))), ...);
  }

  template <Function kernel>
  static void bind(const Entry& entry) {
    entry_ = &entry;
    function_.store(kernel, std::memory_order_release);
  }

  static const Entry* bound_entry() {
    static_cast<void>(all_operators());
    if (entry_ == nullptr) throw_undefined(schema);
    return entry_;
  }

  /// The kernel of an operator that is not bound yet.
  template <typename Signature>
  struct FirstCall;
  template <typename... Arguments>
  struct FirstCall<Returned (*)(Arguments...)> {
    static Returned call(Arguments... arguments) {
      static_cast<void>(bound_entry());
      return function_.load(std::memory_order_acquire)(arguments...);
    }
  };

  static inline constinit std::atomic<Function> function_ = &FirstCall<Function>::call;
  static inline constinit const Entry* entry_ = nullptr;
};

namespace detail {

template <typename Notation>
struct Described {
  static constexpr Schema schema = parse_schema(Notation::text);
};
template <typename Functional>
struct DescribedInPlace {
  static constexpr Schema schema = in_place_schema(Functional::schema);
};
template <typename Functional, OverloadName overload>
struct DescribedOut {
  static constexpr Schema schema = out_schema(Functional::schema, overload.view());
};

}  // namespace detail

/// The operator of `Notation::text`.
template <typename Notation>
using Operator = TypedOperator<detail::Described<Notation>>;
/// The same operator in place: "add_" of "add".
template <typename Functional>
using InPlace = TypedOperator<detail::DescribedInPlace<Functional>>;
/// The same operator with tensors for its results, under this overload's name.
template <typename Functional, OverloadName overload>
using Out = TypedOperator<detail::DescribedOut<Functional, overload>>;

/// Operators that share a name: the arguments choose.
template <typename... Operators>
struct Overloads : Operators... {
  using Operators::operator()...;
};

}  // namespace gpucheck::tensor
