#include "commands/info/gpu_code.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace gpucheck::application {
namespace {

constexpr std::string_view every_major = "75 80-real 90-real 100-real 110-real 120";

/// One entry of the list, "90a-real": its number, what it is bound to, and what it brings.
struct Architecture {
  int number = 0;          // ten times the major version, plus the minor one
  bool is_exact = false;   // "a"
  bool is_family = false;  // "f"
  bool has_machine_code = true;
  bool has_ptx = true;
};

Architecture parse(std::string_view entry) {
  Architecture architecture;
  const auto [end, _] = std::from_chars(entry.data(), entry.data() + entry.size(), architecture.number);
  entry.remove_prefix(static_cast<std::size_t>(end - entry.data()));
  architecture.is_exact = entry.starts_with('a');
  architecture.is_family = entry.starts_with('f');
  architecture.has_machine_code = !entry.ends_with("-virtual");
  architecture.has_ptx = !entry.ends_with("-real");
  return architecture;
}

GpuCode code_of(const Architecture& architecture, int capability) {
  if (architecture.is_exact && architecture.number != capability) return GpuCode::none;
  const bool is_same_major = architecture.number / 10 == capability / 10;
  if (architecture.is_family && !is_same_major) return GpuCode::none;
  if (architecture.has_machine_code && is_same_major && architecture.number <= capability) return GpuCode::included;
  return architecture.has_ptx && architecture.number <= capability ? GpuCode::compiled_from_ptx : GpuCode::none;
}

}  // namespace

GpuCode gpu_code(std::string_view architectures, int capability_major, int capability_minor) {
  if (architectures == "all" || architectures == "all-major") architectures = every_major;
  GpuCode best = GpuCode::none;
  while (!architectures.empty()) {
    const std::size_t end = std::min(architectures.find(' '), architectures.size());
    if (end > 0) {
      best = std::min(best, code_of(parse(architectures.substr(0, end)), 10 * capability_major + capability_minor));
    }
    architectures.remove_prefix(std::min(end + 1, architectures.size()));
  }
  return best;
}

std::string_view to_text(GpuCode code) noexcept {
  switch (code) {
    case GpuCode::included:
      return "included";
    case GpuCode::compiled_from_ptx:
      return "compiled_from_ptx";
    case GpuCode::none:
      break;
  }
  return "none";
}

std::string advice_on(GpuCode code, int capability_major, int capability_minor) {
  if (code == GpuCode::included) return "";
  return fmt::format("{}: build with -DCMAKE_CUDA_ARCHITECTURES={}{}, or with the preset \"package\"",
                     code == GpuCode::none ? "this binary has no code for it"
                                           : "the driver compiles this binary's code for it when a kernel first starts",
                     capability_major, capability_minor);
}

}  // namespace gpucheck::application
