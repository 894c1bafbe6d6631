#pragma once

#include <span>
#include <string>
#include <vector>

namespace gpucheck::application {

/// What was given with --settings, less the keys that only releases of PyTorch after 2.11 know: these are left out,
/// with a note. @throws UsageError with the option and its text: the reason alone would say nothing.
std::vector<std::string> checked_settings(std::span<const std::string> settings);

}  // namespace gpucheck::application
