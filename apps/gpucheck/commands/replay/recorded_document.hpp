#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "replay/analysis/conversion.hpp"

namespace gpucheck::application {

/// What a recording's own events tell, as the documents of `replay` and `advise` have it.
nlohmann::ordered_json recorded_json(const replay::ConversionReport& report);

/// A stack's frames, innermost first; of one with very many the first few hundred.
nlohmann::ordered_json stack_json(const replay::StackTable& stacks, replay::StackId stack);

template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace gpucheck::application
