#pragma once

#include <string>
#include <string_view>

#include "fleet/nodes/expected_nodes.hpp"

namespace gpucheck::acceptance {

/// A bundle's first file, gpucheck.bundle/1: by what it was written, and what nobody can work out from its other files.
struct BundleHead {
  std::string version;  ///< of the gpucheck that wrote it
  std::string contract;
  std::string contract_version;
  fleet::ExpectedNodes expected;
};

std::string head_text(const BundleHead& head);

/// @throws Error for what `head_text` does not write.
BundleHead parse_head(std::string_view text);

}  // namespace gpucheck::acceptance
