#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/values/parameter.hpp"

/// What a machine has to show before it may be called accepted: a definition with a name and a version, so that whoever
/// says "accepted" and whoever hears it mean the same.
namespace gpucheck::acceptance {

/// On which devices of a node a case has to pass.
enum class Place {
  machine,      ///< on none: it is about the machine
  once,         ///< on any one of them
  each_device,  ///< on each alone
  each_group,   ///< each takes part in one group of `devices`
  all_devices,  ///< on all of them together
};

std::string_view to_text(Place place) noexcept;

struct RequiredCase {
  std::string name;
  Place place = Place::each_device;
  int devices = 1;     ///< a node with fewer does not need it
  std::string golden;  ///< SHA-256 of its golden file
  harness::ParameterValues parameters;
};

/// A contract. Its file is published with the schema `contract.schema.json` (lib/report/schemas).
struct Contract {
  std::string text;     ///< the whole file
  std::string name;     ///< "gpucheck acceptance"
  std::string version;  ///< "1.0"
  std::string suite;    ///< what `gpucheck run --suite` runs all of it
  std::string device_kind;
  int minimum_devices = 1;                              ///< on each node
  int minimum_repetitions = 1;                          ///< passes of each case on each of its devices
  std::vector<std::string> allowed_options;             ///< of gpucheck run; any other voids the contract
  std::vector<std::string> allowed_configuration_keys;  ///< likewise, in a configuration file
  std::vector<std::string> allowed_settings;            ///< members of RunSettings that may have any value
  std::string limits;                                   ///< SHA-256 of the file of limits
  std::vector<RequiredCase> cases;                      ///< by name

  /// @throws Error for what is not a contract.
  static Contract parse(std::string_view text);

  /// "gpucheck acceptance 1.0"
  [[nodiscard]] std::string title() const { return name + " " + version; }
  /// Null where the contract does not ask for it.
  [[nodiscard]] const RequiredCase* find(std::string_view case_name) const;
};

/// For people: what has to pass where, and what voids it.
std::string contract_text(const Contract& contract);

}  // namespace gpucheck::acceptance
