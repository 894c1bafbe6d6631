#include "base/text/pci_address.hpp"

#include <gtest/gtest.h>

namespace gpucheck {
namespace {

TEST(PciAddress, AddressesAreComparedAsLinuxWritesThem) {
  EXPECT_EQ(normal_pci_address("00000000:3B:00.0"), "0000:3b:00.0");
  EXPECT_EQ(normal_pci_address("0000:3b:00.0"), "0000:3b:00.0");
  EXPECT_EQ(normal_pci_address("00010000:3B:00.0"), "00010000:3b:00.0") << "a domain that has more digits";
  EXPECT_EQ(normal_pci_address("sim:00:00.0"), "sim:00:00.0");
  EXPECT_EQ(normal_pci_address(""), "");
}

TEST(PciAddress, ADomainLosesTheZerosThatLinuxDoesNotWrite) {
  EXPECT_EQ(normal_pci_address("00001234:3b:00.0"), "1234:3b:00.0");
  EXPECT_EQ(normal_pci_address("00011234:3b:00.0"), "00011234:3b:00.0");
  EXPECT_EQ(normal_pci_address("01234:3b:00.0"), "1234:3b:00.0");
  EXPECT_EQ(normal_pci_address("00:1f.0"), "00:1f.0") << "an address without a domain";
  EXPECT_EQ(normal_pci_address("00000000"), "00000000") << "what has no colon has no domain";
}

}  // namespace
}  // namespace gpucheck
