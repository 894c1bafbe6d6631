#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/tests/run_case.hpp"

// health.inventory and health.software: what is missing, of which machine, and whom it points at.
namespace gpucheck::cases::test_of_inventory {
namespace {

using telemetry::Gpu;
using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* forbidden = "Operation not permitted";

Seen inventory(const Machine& machine, const harness::ParameterValues& parameters = {}) {
  return run_case(case_named("health.inventory"), machine, nullptr, parameters);
}

TEST(Inventory, AllThatAreExpectedAreThere) {
  const Seen seen = inventory(healthy_gpus(2));
  EXPECT_EQ(seen.number("gpus"), 2);
  EXPECT_EQ(seen.number("gpus_expected"), 2);
  EXPECT_EQ(seen.number("gpus_missing"), 0);
  EXPECT_EQ(seen.number("gpus_not_ours"), 0);
  for (const char* list : {"unreachable", "without_driver", "mixed_vbios", "mixed_drivers", "suspects"})
    EXPECT_THAT(seen.texts(list), IsEmpty()) << list;
}

TEST(Inventory, AParameterGoesBeforeWhatTheHostSays) {
  EXPECT_EQ(inventory(healthy_gpus(2), {{"expected_gpus", std::int64_t{5}}}).number("gpus_missing"), 3);
  EXPECT_EQ(inventory(healthy_gpus(2), {{"expected_gpus", std::int64_t{1}}}).number("gpus_missing"), 0);
}

TEST(Inventory, AGpuThatCannotBeReachedIsNamedAndSuspected) {
  Machine machine = healthy_gpus(3);
  machine.gpus[1][Reading::handle] = not_answered();
  const Seen one = inventory(machine);
  EXPECT_EQ(one.number("gpus"), 2);
  EXPECT_EQ(one.number("gpus_missing"), 1);
  EXPECT_THAT(one.texts("unreachable"), ElementsAre("0000:02:00.0: handle: Unknown Error"));
  EXPECT_THAT(one.texts("suspects"), ElementsAre("0000:02:00.0"));
  machine.gpus[2][Reading::handle] = not_answered();
  EXPECT_THAT(inventory(machine).texts("suspects"), ElementsAre("0000:02:00.0", "0000:03:00.0"));
}

TEST(Inventory, AGpuWithoutAnAddressIsFoundByElimination) {
  Machine machine = healthy_gpus(3);
  for (const std::size_t lost : {1U, 2U}) {
    machine.gpus[lost][Reading::handle] = not_answered();
    machine.gpus[lost][Reading::pci_address] = not_answered();
  }
  const Seen both = inventory(machine);
  EXPECT_THAT(both.texts("unreachable"), ElementsAre("handle: Unknown Error", "handle: Unknown Error"));
  EXPECT_THAT(both.texts("suspects"), ElementsAre("0000:02:00.0", "0000:03:00.0"));
  machine.gpus[1][Reading::pci_address] = std::string("0000:02:00.0");
  EXPECT_THAT(inventory(machine).texts("suspects"), ElementsAre("0000:02:00.0", "0000:03:00.0"));
  machine.host.pci_gpus[2].driver = "vfio-pci";  // a virtual machine's
  EXPECT_THAT(inventory(machine).texts("suspects"), ElementsAre("0000:02:00.0")) << "the other may be anywhere";
}

TEST(Inventory, OfMoreThatMayBeMeantNoneIsSuspected) {
  Machine machine = healthy_gpus(3);
  machine.gpus.pop_back();  // on the bus it is
  machine.gpus[1][Reading::handle] = not_answered();
  machine.gpus[1][Reading::pci_address] = not_answered();
  const Seen seen = inventory(machine, {{"expected_gpus", std::int64_t{2}}});
  EXPECT_EQ(seen.number("gpus_missing"), 1);
  EXPECT_THAT(seen.texts("suspects"), IsEmpty()) << "either of two addresses";
}

TEST(Inventory, WhatIsWrongWithTheMachineIsChargedToNoGpu) {
  Machine lost = healthy_gpus(2);
  lost.gpus[1][Reading::handle] = not_answered();
  Machine unlisted = healthy_gpus(3);
  unlisted.gpus.pop_back();
  unlisted.gpus[1][Reading::handle] = not_answered();
  EXPECT_EQ(inventory(unlisted).number("gpus_missing"), 2);
  EXPECT_THAT(inventory(unlisted).texts("suspects"), IsEmpty()) << "one of the missing is not listed at all";
  Machine unbound = lost;
  unbound.host.pci_gpus.push_back({"0000:ee:00.0", ""});
  EXPECT_THAT(inventory(unbound, {{"expected_gpus", std::int64_t{2}}}).texts("suspects"), IsEmpty());
  Machine mixed_drivers = lost;
  mixed_drivers.host.kernel_module_version = "1.2.3";
  EXPECT_THAT(inventory(mixed_drivers).texts("suspects"), IsEmpty());
  Machine mixed_vbios = healthy_gpus(3);
  mixed_vbios.gpus[1][Reading::handle] = not_answered();
  mixed_vbios.gpus[2][Reading::vbios_version] = std::string("00.00");
  EXPECT_THAT(inventory(mixed_vbios).texts("suspects"), IsEmpty());
}

TEST(Inventory, AGpuOnTheBusWithoutADriverIsExpected) {
  Machine machine = healthy_gpus(1);
  machine.host.pci_gpus.push_back({"0000:ee:00.0", ""});
  machine.host.pci_gpus.push_back({"0000:ef:00.0", ""});
  machine.host.pci_gpus.push_back({"0000:f0:00.0", "vfio-pci"});
  const Seen seen = inventory(machine);
  EXPECT_EQ(seen.number("gpus_expected"), 3);
  EXPECT_EQ(seen.number("gpus_missing"), 2);
  EXPECT_THAT(seen.texts("without_driver"), ElementsAre("0000:ee:00.0", "0000:ef:00.0"));
  machine.host.pci_gpus.clear();
  EXPECT_EQ(inventory(machine).text("without_driver"), "not available");
}

TEST(Inventory, WhatAnotherJobHasIsNotExpected) {
  Machine machine = healthy_gpus(1);
  machine.host.device_files.push_back({"/dev/nvidia1", forbidden});
  machine.host.device_files.push_back({"/dev/nvidia2", forbidden});
  const Seen seen = inventory(machine);
  EXPECT_EQ(seen.number("gpus_expected"), 1);
  EXPECT_EQ(seen.number("gpus_not_ours"), 2);
  machine.host.device_files[4].problem = "Permission denied";
  EXPECT_EQ(inventory(machine).number("gpus_expected"), 2) << "which no cgroup says";
  EXPECT_EQ(inventory(machine).number("gpus_not_ours"), 1);
}

TEST(Inventory, OnlyFilesOfGpusAreCounted) {
  Machine machine = healthy_gpus(1);
  for (const char* name : {"/dev/nvidia", "/dev/nvidia-modeset", "/dev/nvidia1x", "/dev/nvidiactl2", "/dev/dri/card0"})
    machine.host.device_files.push_back({name, forbidden});
  EXPECT_EQ(inventory(machine).number("gpus_expected"), 1);
  EXPECT_EQ(inventory(machine).number("gpus_not_ours"), 0);
  machine.host.device_files.push_back({"/dev/nvidia12", ""});
  EXPECT_EQ(inventory(machine).number("gpus_expected"), 2);
}

TEST(Inventory, WithoutEvidenceOfHowManyThereIsNoAnswer) {
  Machine machine = healthy_gpus(1);
  machine.host.device_files[2].problem = forbidden;
  EXPECT_TRUE(inventory(machine).is_skipped());
  EXPECT_THAT(inventory(machine).execution.reason, HasSubstr("allow none of the 1 GPUs"));
  machine.host.device_files.clear();
  EXPECT_TRUE(inventory(machine).is_skipped());
  machine.host.pci_gpus.push_back({"0000:ee:00.0", ""});
  EXPECT_EQ(inventory(machine).number("gpus_expected"), 1) << "on the bus without a driver";
  machine.host.device_files_problem = "/dev: Permission denied";
  EXPECT_TRUE(inventory(machine).is_skipped());
  EXPECT_EQ(inventory(machine, {{"expected_gpus", std::int64_t{1}}}).number("gpus_missing"), 0);
}

TEST(Inventory, OneModelHasOneVbios) {
  const auto mixed = [](const Machine& machine) { return inventory(machine).texts("mixed_vbios"); };
  Machine machine = healthy_gpus(3);
  machine.gpus[2][Reading::vbios_version] = std::string("97");
  EXPECT_THAT(mixed(machine), ElementsAre("NVIDIA H100 80GB HBM3: 96.00.DA.00.0C, 97"));
  Machine other_model = machine;
  other_model.gpus[2][Reading::name] = std::string("NVIDIA T4");
  EXPECT_THAT(mixed(other_model), IsEmpty());
  Machine unknown = machine;
  unknown.gpus[2][Reading::name] = not_offered();
  EXPECT_THAT(mixed(unknown), IsEmpty());
  Machine absent = machine;
  absent.gpus[2][Reading::handle] = false;
  EXPECT_THAT(mixed(absent), IsEmpty());
  for (Gpu& gpu : machine.gpus) gpu[Reading::vbios_version] = not_offered();
  EXPECT_EQ(inventory(machine).text("mixed_vbios"), "not available");
}

TEST(Inventory, TheDriverAndItsLibraryAreOfOneVersion) {
  Machine machine = healthy_gpus(1);
  machine.driver_version = std::string("2");
  machine.host.kernel_module_version = "1";
  EXPECT_THAT(inventory(machine).texts("mixed_drivers"), ElementsAre("the loaded driver is 1, its library is of 2"));
  machine.driver_version = not_offered();
  EXPECT_EQ(inventory(machine).text("mixed_drivers"), "not available");
  machine.driver_version = std::string("2");
  machine.host.kernel_module_version.clear();
  EXPECT_EQ(inventory(machine).text("mixed_drivers"), "not available");
}

// -- software ----------------------------------------------------------------------------------------

Seen software(const Machine& machine) { return run_case(case_named("health.software"), machine); }

TEST(Software, ThatCannotBeUsedIsNamedWithItsReason) {
  Machine machine = healthy_gpus(1);
  machine.host.device_files[0].problem = "Permission denied";
  machine.host.device_files[2].problem = "No such device";
  machine.host.libraries[1].problem = "cannot open";
  const Seen seen = software(machine);
  EXPECT_THAT(seen.texts("unusable_device_files"),
              ElementsAre("/dev/nvidiactl: Permission denied", "/dev/nvidia0: No such device"));
  EXPECT_THAT(seen.texts("forbidden_device_files"), IsEmpty());
  EXPECT_THAT(seen.texts("unusable_libraries"), ElementsAre("libnvidia-ml.so.1: cannot open"));
}

TEST(Software, WhatACgroupForbidsMattersWhereEveryProgramNeedsIt) {
  Machine machine = healthy_gpus(1);
  for (telemetry::NamedState& file : machine.host.device_files) file.problem = forbidden;
  const Seen seen = software(machine);
  EXPECT_THAT(seen.texts("unusable_device_files"), IsEmpty());
  EXPECT_THAT(seen.texts("forbidden_device_files"),
              ElementsAre("/dev/nvidiactl: Operation not permitted", "/dev/nvidia-uvm: Operation not permitted"));
}

TEST(Software, AnEmptyListIsNoEvidence) {
  Machine no_files = healthy_gpus(1);
  no_files.host.device_files.clear();
  EXPECT_EQ(software(no_files).text("unusable_device_files"), "not available");
  EXPECT_EQ(software(no_files).text("forbidden_device_files"), "not available");
  EXPECT_THAT(software(no_files).texts("unusable_libraries"), IsEmpty());
  Machine no_libraries = healthy_gpus(1);
  no_libraries.host.libraries.clear();
  EXPECT_EQ(software(no_libraries).text("unusable_libraries"), "not available");
  EXPECT_THAT(software(no_libraries).texts("unusable_device_files"), IsEmpty());
  Machine unreadable = healthy_gpus(1);
  unreadable.host.libraries_problem = "no permission";
  EXPECT_EQ(software(unreadable).text("unusable_libraries"), "not available");
  unreadable.host.libraries[0].problem = "cannot open";
  EXPECT_THAT(software(unreadable).texts("unusable_libraries"), ElementsAre("libcuda.so.1: cannot open"))
      << "what is known to be wrong is said";
  no_files.host.libraries.clear();
  EXPECT_TRUE(software(no_files).is_skipped());
}

/// As in a container that does not show /proc/driver: what the library says is looked at all the same.
TEST(Software, OfALoadedDriverWithoutAVersionIsLookedAt) {
  Machine machine = healthy_gpus(1);
  machine.host.kernel_module_version.clear();
  machine.driver_version = std::string("580.1");
  const Seen seen = software(machine);
  ASSERT_TRUE(seen.is_completed()) << seen.execution.reason;
  EXPECT_EQ(seen.text("driver_version"), "580.1");
  EXPECT_THAT(seen.texts("unusable_libraries"), IsEmpty());
  machine.driver_version = not_offered();
  EXPECT_EQ(software(machine).text("driver_version"), "");
  machine.host.kernel_module_version = "570.2";
  EXPECT_EQ(software(machine).text("driver_version"), "570.2");
}

TEST(Software, ADriverIsNewEnoughFromTheMajorVersionOn) {
  const auto is_enough = [](const char* cuda) {
    Machine machine = healthy_gpus(1);
    machine.cuda_version = std::string(cuda);
    return software(machine).flag("driver_is_new_enough");
  };
  EXPECT_TRUE(is_enough("13.0"));
  EXPECT_TRUE(is_enough("14.1"));
  EXPECT_FALSE(is_enough("12.9"));
  EXPECT_FALSE(is_enough("unknown"));
  Machine machine = healthy_gpus(1);
  machine.cuda_version = not_offered();
  EXPECT_EQ(software(machine).text("driver_is_new_enough"), "not available");
}

TEST(Software, TheDriversVersionIsTheLibrarysOrElseTheModules) {
  Machine machine = healthy_gpus(1);
  machine.driver_version = std::string("2");
  machine.host.kernel_module_version = "1";
  EXPECT_EQ(software(machine).text("driver_version"), "2");
  EXPECT_EQ(software(machine).text("cuda_of_driver"), "13.0");
  machine.driver_version = not_offered();
  EXPECT_EQ(software(machine).text("driver_version"), "1");
}

}  // namespace
}  // namespace gpucheck::cases::test_of_inventory
