#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "config/config.hpp"

using gpucheck::application::Config;
using gpucheck::application::ConfigSetting;

// Whatever the file: it is rejected in words, or each of its settings is one that there is, once, with a value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The only way to view bytes as characters.
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* profile : {"", "night"}) {
    try {
      const Config config = gpucheck::application::read_config({.path = "/site/gpucheck.toml", .text = text}, profile);
      for (const ConfigSetting& setting : config.settings) {
        if (setting.key == nullptr || setting.name.empty() || setting.line < 1) std::abort();
        for (const ConfigSetting& other : config.settings) {
          if (&other != &setting && other.name == setting.name) std::abort();
        }
      }
    } catch (const gpucheck::UsageError&) {
      continue;
    }
  }
  return 0;
}
