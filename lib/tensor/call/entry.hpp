#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tensor/schema/schema.hpp"

namespace gpucheck::tensor {

struct Call;

/// What autocast does with an operator's arguments.
enum class AutocastPolicy : std::uint8_t {
  none,             ///< nothing
  lower_precision,  ///< floating tensors become the chosen 16-bit type
  float32,          ///< they become float32
  float32_output,   ///< the `dtype` argument becomes float32 where it was not given
  promote,          ///< they become the widest type among them
  refused,          ///< the call is an error
};
[[nodiscard]] std::string_view to_text(AutocastPolicy policy) noexcept;

/// What is said of an operator beside its schema and its kernel.
struct Traits {
  AutocastPolicy autocast = AutocastPolicy::none;
  /// Made of other operators: layers below observe see those instead of it.
  bool is_composite = false;
  /// Arithmetic for each element of the result, where the work is proportional to that; 0 where it is not.
  double operations_per_element = 0;
};

/// An operator in one of its forms.
struct Entry {
  Schema schema;
  Traits traits;
  /// Calls the kernel with the call's arguments and sets its results; passes no layer.
  void (*run)(Call& call) = nullptr;
  /// Makes typed calls reach the kernel and this entry.
  void (*bind)(const Entry& entry) = nullptr;
};

/// All operators in all their forms, by name. The first call collects them; any thread may call.
[[nodiscard]] const std::vector<Entry>& all_operators();
/// The operator of this qualified name, "aten::add.Tensor"; null for none.
[[nodiscard]] const Entry* find_operator(std::string_view qualified_name);

}  // namespace gpucheck::tensor
