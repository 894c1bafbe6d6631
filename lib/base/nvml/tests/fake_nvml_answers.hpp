#pragma once

#include <cstring>
#include <map>
#include <string>

/// Stands in for libnvidia-ml.so.1: one GPU with six links, of which each answer is a number
/// that no other has. A function can be made to fail.
namespace gpucheck::fake_nvml {

inline std::map<std::string, int>& codes() {
  static std::map<std::string, int> the_codes;
  return the_codes;
}

/// Functions called since this was cleared.
inline int& calls() {
  static int count = 0;
  return count;
}

inline int code_of(const char* function) {
  ++calls();
  const auto found = codes().find(function);
  return found == codes().end() ? 0 : found->second;
}

inline std::string& driver_version() {
  static std::string version = "580.159.04";
  return version;
}

template <typename Number>
inline int fill(const char* function, Number* to, Number value) {
  *to = value;
  return code_of(function);
}

inline int fill_text(const char* function, char* to, unsigned length, const char* text) {
  if (length <= std::strlen(text)) return 7;
  std::memcpy(to, text, std::strlen(text) + 1);
  return code_of(function);
}

struct Pci {
  char legacy[16];
  unsigned numbers[5];
  char bus_id[32];
};
/// @param address of 16 characters.
inline void fill_address(Pci* to, const char (&address)[17]) { std::memcpy(to->bus_id, address, sizeof address); }

struct Device;
inline int the_device = 0;

}  // namespace gpucheck::fake_nvml
