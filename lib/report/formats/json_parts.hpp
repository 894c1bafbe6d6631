#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fleet/peers.hpp"
#include "harness/run/device_verdicts.hpp"
#include "harness/run/json.hpp"

/// What JSON documents have in common.
namespace gpucheck::report {

/// Whole microseconds: what is beyond them is noise. JSON has no number for what is not finite; that becomes a text.
nlohmann::ordered_json json_milliseconds(double value);

template <typename T>
nlohmann::ordered_json array_of(const std::vector<T>& elements) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const T& element : elements) array.push_back(harness::to_json(element));
  return array;
}

/// One of a result's "cases".
nlohmann::ordered_json result_json(const harness::CaseResult& result);

nlohmann::ordered_json verdict_json(const harness::DeviceVerdict& verdict);
/// Without what only a device has.
nlohmann::ordered_json machine_verdict_json(const harness::DeviceVerdict& verdict);

/// A device of several runs is named by its run, and by what it is.
nlohmann::ordered_json json_across_runs(const harness::Comparison& comparison,
                                        const std::vector<fleet::Subject>& subjects);

std::string text_of(const nlohmann::ordered_json& document);

}  // namespace gpucheck::report
