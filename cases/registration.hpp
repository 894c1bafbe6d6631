#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "cases/registry.hpp"

/// What the registry that the build makes (scripts/cmake/case_registry.cmake) is made of.
namespace gpucheck::cases {

/// A case by the name that its file gives it, and the function that the file must define.
struct Registration {
  std::string_view name;
  harness::Case (*define)();
};

/// The cases, in the order given. @throws Error naming one that calls itself otherwise
/// than its file: that is a mistake in the case.
std::vector<harness::Case> registered(std::initializer_list<Registration> registrations);

}  // namespace gpucheck::cases
