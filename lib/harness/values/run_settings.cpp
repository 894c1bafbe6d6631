#include "harness/values/run_settings.hpp"

#include <fmt/format.h>

namespace gpucheck::harness {
namespace {

using Words = std::vector<std::string>;

Words values_of(const std::string& text) { return {text}; }
Words values_of(const Words& texts) { return texts; }
Words values_of(std::uint64_t number) { return {fmt::format("{}", number)}; }
Words values_of(const runtime::AllocatorChoice& allocator) { return {runtime::to_text(allocator)}; }
Words values_of(const ParameterValues& parameters) {
  Words words;
  for (const auto& [name, value] : parameters) words.push_back(name + "=" + to_text(value));
  return words;
}

}  // namespace

Words to_options(const RunSettings& settings) {
  static const RunSettings defaults;
  Words words;
  for_each_field(settings, [&words](const auto& row, const auto& value) {
    const bool always = row.name == "device" || row.name == "seed";
    if (row.option.empty() || (!always && value == defaults.*row.member)) return;
    for (const std::string& text : values_of(value)) words.insert(words.end(), {std::string(row.option), text});
  });
  return words;
}

}  // namespace gpucheck::harness
