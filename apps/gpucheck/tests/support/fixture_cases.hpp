#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "golden/golden.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::application::fixture_cases {

/// Cases that behave in one way each: well or badly.
std::vector<harness::Case> all();

/// Their golden files. `demo.no_golden` has none; `demo.lost` has no case.
std::span<const golden::GoldenSet::File> goldens();

/// A contract of two of them on simulated devices: proof.watchful and measured.speed.
std::string_view contract();

}  // namespace gpucheck::application::fixture_cases
