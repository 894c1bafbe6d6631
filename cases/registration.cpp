#include "cases/registration.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "harness/case/case_name.hpp"

namespace gpucheck::cases {

std::vector<harness::Case> registered(std::initializer_list<Registration> registrations) {
  std::vector<harness::Case> cases;
  cases.reserve(registrations.size());
  for (const Registration& registration : registrations) {
    cases.push_back(registration.define());
    if (cases.back().name == registration.name) continue;
    throw Error(fmt::format("the case in cases/{}.cpp is called \"{}\"; its file makes it \"{}\": rename one of them",
                            harness::case_path(registration.name), cases.back().name, registration.name));
  }
  return cases;
}

}  // namespace gpucheck::cases
