#pragma once

#include <string>
#include <string_view>

namespace gpucheck::application {

/// How this binary was made.
struct BuildInformation {
  std::string_view version;  ///< from the repository's tags when there are any, else the project's version
  std::string_view compiler;
  std::string_view build_type;
  std::string_view cuda_toolkit;        ///< empty when built without
  std::string_view cuda_architectures;  ///< likewise
};

const BuildInformation& build_information() noexcept;

/// What --version prints, several lines.
std::string version_text();

}  // namespace gpucheck::application
