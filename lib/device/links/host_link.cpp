#include "device/links/host_link.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace gpucheck::device {
namespace {

namespace fs = std::filesystem;

/// A generation's transfers a second and lane (PCI Express Base Specification 6.0, table 1-1).
struct Generation {
  int number;
  std::string_view speed;
};
constexpr std::array generations{Generation{1, "2.5"},  Generation{2, "5.0"},  Generation{3, "8.0"},
                                 Generation{4, "16.0"}, Generation{5, "32.0"}, Generation{6, "64.0"}};

std::string first_word(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

/// The kernel writes "32.0 GT/s PCIe"; older ones "8 GT/s".
int generation_of(std::string_view speed) {
  for (const Generation& generation : generations) {
    const std::string_view whole = generation.speed.substr(0, generation.speed.find('.'));
    const bool without_fraction = generation.speed.ends_with(".0") && speed == whole;
    if (speed == generation.speed || without_fraction) return generation.number;
  }
  return 0;
}

/// Widths beyond 32 lanes do not exist: the kernel writes 255 for what it cannot read.
int lanes_of(std::string_view text) {
  int lanes = 0;
  std::from_chars(text.data(), text.data() + text.size(), lanes);
  return lanes <= 32 ? std::max(lanes, 0) : 0;
}

HostLink best_of(const fs::path& folder) {
  return {.generation = generation_of(first_word(folder / "max_link_speed")),
          .lanes = lanes_of(first_word(folder / "max_link_width"))};
}

/// The lesser of the two; where only one has a value, that one.
int lesser(int a, int b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

}  // namespace

HostLink host_link_of(std::string_view pci_bus_id, const std::string& devices_folder) {
  std::string address(pci_bus_id);
  std::ranges::transform(address, address.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  std::error_code error;
  // A link to the device's place in the tree, in which its parent is the port.
  const fs::path folder = fs::canonical(fs::path(devices_folder) / address, error);
  if (error) return {};
  const HostLink own = best_of(folder);
  const HostLink port = best_of(folder.parent_path());
  return {.generation = lesser(own.generation, port.generation), .lanes = lesser(own.lanes, port.lanes)};
}

}  // namespace gpucheck::device
