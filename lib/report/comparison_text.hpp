#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/rules/comparison.hpp"
#include "report/palette.hpp"
#include "report/run_set.hpp"

/// What GPUs of one model differ in, in words.
namespace gpucheck::report {

/// Names the device that a value is of: "device 1", or in several runs "node1 GPU-…".
using DeviceName = std::function<std::string(int)>;
std::string plain_device_name(int device);

/// Names the devices of several runs. `across` must outlive it.
DeviceName names_in(const fleet::AcrossRuns& across);

/// "gemm.bf16.digest of NVIDIA H100".
std::string comparison_title(const harness::Comparison& comparison);

/// What to know besides the reason: each device's value, its waiver, and what to do about a failure.
std::vector<std::string> comparison_details(const harness::Comparison& comparison, const DeviceName& name_of);

/// For the console: "FAIL   gemm.bf16.digest of NVIDIA H100: …" and what to know about it; empty for a pass.
std::string comparison_text(const harness::Comparison& comparison, const DeviceName& name_of, const Palette& palette);

/// ", 1 comparison failed"; empty where none did.
std::string failed_comparisons_text(const std::vector<harness::Comparison>& comparisons);

}  // namespace gpucheck::report
