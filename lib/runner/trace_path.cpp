#include "runner/trace_path.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace gpucheck::runner {

std::string trace_path(const std::string& folder, const Assignment& assignment, int attempt) {
  if (folder.empty()) return {};
  std::string device = assignment.device_name;
  std::ranges::replace_if(
      device, [](char c) { return c == ':' || c == ',' || c == '/'; }, '-');
  std::string name = fmt::format("{}.{}", assignment.planned->test_case->name, device);
  if (assignment.planned->repetition > 0) name += fmt::format(".repetition-{}", assignment.planned->repetition + 1);
  if (attempt > 1) name += fmt::format(".attempt-{}", attempt);
  return (std::filesystem::path(folder) / (name + ".json")).string();
}

}  // namespace gpucheck::runner
