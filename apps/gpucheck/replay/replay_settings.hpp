#pragma once

#include <span>
#include <string>

namespace gpucheck::application {

/// Whether PyTorch takes what was given with --settings. @throws UsageError with the option
/// and its text: the reason alone would say nothing.
void check_settings(std::span<const std::string> settings);

}  // namespace gpucheck::application
