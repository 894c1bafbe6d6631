#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "base/nvml/nvml_library.hpp"
#include "telemetry/machine/machine.hpp"

namespace gpucheck::telemetry::nvml {

using namespace gpucheck::nvml;  // the library's own names

/// Whether the driver does not know a question in this form, so that an older form may serve. After any other answer an
/// older form would only hide a failure.
constexpr bool is_unknown_form(Return code) noexcept {
  // NVML_ERROR_FUNCTION_NOT_FOUND, NVML_ERROR_ARGUMENT_VERSION_MISMATCH of nvml.h.
  constexpr auto function_not_found = static_cast<Return>(13);
  constexpr auto version_mismatch = static_cast<Return>(25);
  return code == Return::no_such_function || code == Return::not_supported || code == Return::invalid_argument ||
         code == function_not_found || code == version_mismatch;
}

/// In place of what a function did not answer: not supported, else its name and the library's words.
[[nodiscard]] inline Value without_answer(const Library& library, const char* function, Return code) {
  if (code == Return::not_supported) return Unavailable{std::string(not_supported_text)};
  return Unavailable{.reason = fmt::format("{}: {}", function, library.text(code)), .is_failure = is_failure(code)};
}

/// Asks one GPU, one question after the other.
class Asker {
 public:
  Asker(const Library& library, Device device) : library_(library), device_(device) {}

  [[nodiscard]] Value failed(const char* function, Return code) const {
    return without_answer(library_, function, code);
  }

  /// Functions that fill a text.
  [[nodiscard]] Value text(const char* function) const {
    std::array<char, 96> buffer{};
    const Return code = library_.call(function, device_, buffer.data(), static_cast<unsigned>(buffer.size()));
    return code == Return::success ? Value(std::string(buffer.data())) : failed(function, code);
  }
  /// Functions that fill an unsigned number; `which` says what is meant.
  template <typename... Which>
  [[nodiscard]] Value number(const char* function, Which... which) const {
    unsigned value = 0;
    const Return code = library_.call(function, device_, which..., &value);
    return code == Return::success ? Value(static_cast<std::int64_t>(value)) : failed(function, code);
  }
  template <typename... Which>
  [[nodiscard]] Value large_number(const char* function, Which... which) const {
    unsigned long long value = 0;
    const Return code = library_.call(function, device_, which..., &value);
    return code == Return::success ? of_64_bits(value) : failed(function, code);
  }
  /// Functions that fill a flag (nvmlEnableState_t).
  [[nodiscard]] Value flag(const char* function) const {
    int value = 0;
    const Return code = library_.call(function, device_, &value);
    return code == Return::success ? Value(value != 0) : failed(function, code);
  }

  /// Several fields in one call, each with an answer of its own.
  /// @param scope of what the GPU has several: the number of the link.
  template <std::size_t count>
  [[nodiscard]] std::array<Value, count> fields(const std::array<unsigned, count>& ids, unsigned scope = 0) const {
    const char* const function = "nvmlDeviceGetFieldValues";
    std::array<FieldValue, count> fields{};
    for (std::size_t i = 0; i < count; ++i) {
      fields[i].field_id = ids[i];
      fields[i].scope_id = scope;
    }
    const Return code = library_.call(function, device_, static_cast<int>(count), fields.data());
    std::array<Value, count> values;
    for (std::size_t i = 0; i < count; ++i) {
      const Return own = code == Return::success ? static_cast<Return>(fields[i].status) : code;
      values[i] = own == Return::success ? content(fields[i]) : failed(function, own);
    }
    return values;
  }

  template <typename Structure>
  Return fill(const char* function, Structure& structure) const {
    return library_.call(function, device_, &structure);
  }
  [[nodiscard]] const Library& library() const noexcept { return library_; }
  [[nodiscard]] Device device() const noexcept { return device_; }

 private:
  /// What has all bits set, for example, is not a count of anything.
  static Value of_64_bits(unsigned long long value) {
    if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
    return Unavailable{.reason = fmt::format("{}, which is too large for what it counts", value), .is_failure = true};
  }
  /// nvmlValueType_t says which member of the union was filled.
  static Value content(const FieldValue& field) {
    switch (field.value_type) {
      case 1:
        return static_cast<std::int64_t>(field.value.unsigned_integer);
      case 2:
        return of_64_bits(field.value.unsigned_long);
      case 3:
        return of_64_bits(field.value.unsigned_long_long);
      case 4:
        return static_cast<std::int64_t>(field.value.signed_long_long);
      case 5:
        return static_cast<std::int64_t>(field.value.signed_integer);
      case 6:
        return static_cast<std::int64_t>(field.value.unsigned_short);
      default:
        return Unavailable{.reason = fmt::format("a value of type {}, which is not a whole number", field.value_type),
                           .is_failure = true};
    }
  }

  const Library& library_;
  Device device_;
};

}  // namespace gpucheck::telemetry::nvml
