#pragma once

#include <iosfwd>
#include <string>

/// Which observations of a case turn red under one of its faults, and that no other one does: `gpucheck prove` asks
/// only that something does. A fault that strikes another call than it says, or an observation that no longer looks at
/// what it is named after, shows here.
namespace gpucheck::cases {

struct RedKeys {
  std::string cases;  ///< a glob: of all of them that have the fault
  std::string fault;
  std::string keys;  ///< in the golden file's order, with blanks between them
};
void PrintTo(const RedKeys& red, std::ostream* out);

/// Runs the cases on as many simulated devices as they need.
void expect_red(const RedKeys& red);

}  // namespace gpucheck::cases
