#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/case/context.hpp"
#include "harness/case/registry.hpp"

/// How cases for the runner's tests are put together.
namespace gpucheck::runner::testing {

inline harness::Case make(std::string name, void (*run)(harness::Context&)) {
  harness::Case made{.name = std::move(name), .summary = "for the runner's tests", .source = "none"};
  made.needs.devices = 0;
  made.run = run;
  return made;
}

inline harness::Case with(harness::Case made, auto change) {
  change(made);
  return made;
}

inline harness::Parameter integer_parameter(std::string name, std::int64_t value) {
  return {.name = std::move(name), .summary = "for tests", .default_value = value};
}

/// Cases that behave, fail at most, or leave memory behind.
std::vector<harness::Case> behaving_cases();

}  // namespace gpucheck::runner::testing
