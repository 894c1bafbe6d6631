#include "cases/registration.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "base/error.hpp"

namespace gpucheck::cases {
namespace {

/// "cases/alloc/fuzz.cpp" for "alloc.fuzz".
std::string source_path(std::string name) {
  std::ranges::replace(name, '.', '/');
  return fmt::format("cases/{}.cpp", name);
}

}  // namespace

std::vector<harness::Case> registered(std::initializer_list<Registration> registrations) {
  std::vector<harness::Case> cases;
  cases.reserve(registrations.size());
  for (const Registration& registration : registrations) {
    cases.push_back(registration.make());
    if (cases.back().name == registration.name) continue;
    throw Error(fmt::format("the case in {} is called \"{}\"; its file makes it \"{}\": rename one of them",
                            source_path(std::string(registration.name)), cases.back().name, registration.name));
  }
  return cases;
}

}  // namespace gpucheck::cases
