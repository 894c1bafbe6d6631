#include "runner/plan/trace_path.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace gpucheck::runner {
namespace {

/// Whether it means itself in a shell, a URL and on every file system.
bool is_plain_in_path(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::string trace_path(const std::string& folder, const Assignment& assignment, int attempt) {
  if (folder.empty()) return {};
  std::string device = assignment.device_name;
  // Two devices of a run differ in a number or a UUID, and still do.
  std::ranges::replace_if(
      device, [](char c) { return !is_plain_in_path(c); }, '-');
  std::string name = fmt::format("{}.{}", assignment.planned->test_case->name, device);
  if (assignment.planned->repetition > 0) name += fmt::format(".repetition-{}", assignment.planned->repetition + 1);
  if (attempt > 1) name += fmt::format(".attempt-{}", attempt);
  return (std::filesystem::path(folder) / (name + ".json")).string();
}

}  // namespace gpucheck::runner
