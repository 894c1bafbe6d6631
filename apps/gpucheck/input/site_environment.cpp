#include "input/site_environment.hpp"

#include "site/site_cases.hpp"

namespace gpucheck::application {

SiteEnvironment::SiteEnvironment(const Environment& environment, const std::vector<std::string>& folders)
    : registry_(folders.empty() ? std::nullopt : std::optional(site::with_site_cases(environment.registry, folders))),
      environment_{.registry = registry_ ? *registry_ : environment.registry,
                   .embedded_goldens = environment.embedded_goldens,
                   .command_line = environment.command_line,
                   .start = environment.start,
                   .durations = environment.durations} {}

}  // namespace gpucheck::application
