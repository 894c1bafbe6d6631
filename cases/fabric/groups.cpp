#include "cases/fabric/group_tests_support.hpp"

namespace gpucheck::cases::in_fabric::groups {

harness::Case define() {
  return {
      .name = "fabric.groups",
      .summary =
          "Groups of nodes exchange data (all_to_all), and are cut and crossed until the bad nodes, pairs and "
          "links are named",
      .source = "group testing between nodes",
      .needs = {.every_device = true, .exclusive = true, .several_processes = true},
      .parameters = group_parameters(),
      .faults = group_faults(),
      .deadline = std::chrono::minutes(30),
      .run = run_group_tests,
  };
}

}  // namespace gpucheck::cases::in_fabric::groups
