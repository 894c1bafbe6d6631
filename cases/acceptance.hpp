#pragma once

#include <span>
#include <string_view>

namespace gpucheck::cases {

/// The file acceptance.json, built into the binary.
struct AcceptanceFile {
  std::string_view path;
  std::string_view text;
};

}  // namespace gpucheck::cases

namespace gpucheck {

/// One: what a node has to show to be accepted (lib/acceptance/contract).
std::span<const cases::AcceptanceFile> embedded_acceptance();

}  // namespace gpucheck
