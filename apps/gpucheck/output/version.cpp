#include "output/version.hpp"

#include <fmt/format.h>

#include "build_configuration.hpp"
#include "git_version.hpp"

namespace gpucheck::application {

const BuildInformation& build_information() noexcept {
  static constexpr BuildInformation information{
      .version = generated::version,
      .compiler = generated::compiler,
      .build_type = generated::build_type,
      .cuda_toolkit = generated::cuda_toolkit,
      .cuda_architectures = generated::cuda_architectures,
  };
  return information;
}

std::string version_text() {
  const BuildInformation& build = build_information();
  const std::string cuda = build.cuda_toolkit.empty()
                               ? "no CUDA toolkit (simulated device only)"
                               : fmt::format("CUDA {}, architectures {}", build.cuda_toolkit, build.cuda_architectures);
  return fmt::format("gpucheck {}\nbuilt with {} ({}), {}", build.version, build.compiler, build.build_type, cuda);
}

}  // namespace gpucheck::application
