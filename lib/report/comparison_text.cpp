#include "report/comparison_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "harness/result/failure_kinds.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::ComparedValue;
using harness::Comparison;

/// The file has all values of a whole fleet.
constexpr std::size_t most_values = 16;

std::string number_text(const harness::Value& value) {
  const auto* const number = std::get_if<double>(&value);
  return number != nullptr ? fmt::format("{:.4g}", *number) : harness::to_text(value);
}

std::string values_text(const Comparison& comparison, const DeviceName& name_of) {
  std::vector<std::string> texts;
  for (const ComparedValue& one : comparison.values) {
    if (texts.size() == most_values) break;
    texts.push_back(fmt::format("{}: {}", name_of(one.device), number_text(one.value)));
  }
  const std::size_t more = comparison.values.size() - texts.size();
  return fmt::format("{}{}", fmt::join(texts, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

bool is_waived(const Comparison& comparison) { return comparison.verdict == "fail" && !is_failure(comparison); }

}  // namespace

DeviceName names_in(const fleet::AcrossRuns& across) {
  return [&subjects = across.subjects](int device) {
    const fleet::Subject& subject = subjects.at(static_cast<std::size_t>(device));
    return subject.host + " " + (subject.device.uuid.empty() ? subject.device.pci_bus_id : subject.device.uuid);
  };
}

std::string plain_device_name(int device) { return fmt::format("device {}", device); }

std::string comparison_title(const Comparison& comparison) {
  return one_line(fmt::format("{} of {}", name_of(comparison), comparison.model));
}

std::vector<std::string> comparison_details(const Comparison& comparison, const DeviceName& name_of) {
  std::vector<std::string> lines{one_line(values_text(comparison, name_of), 4000)};
  for (const ComparedValue& one : comparison.values) {
    if (one.waiver) lines.push_back(one_line(fmt::format("{}: {}", name_of(one.device), waiver_text(*one.waiver))));
  }
  if (const harness::FailureKind* const kind = harness::find_failure_kind(comparison.failure)) {
    lines.push_back(next_step_text(*kind));
  }
  return lines;
}

std::string comparison_text(const Comparison& comparison, const DeviceName& name_of, const Palette& palette) {
  if (comparison.verdict == "pass") return {};
  const bool is_bad = is_failure(comparison);
  const std::string_view word = is_bad ? "FAIL" : is_waived(comparison) ? "WAIVED" : "WARN";
  std::string text =
      fmt::format("{} {}: {}\n", palette.paint(fmt::format("{:<6}", word), is_bad ? Tone::bad : Tone::doubtful),
                  comparison_title(comparison), one_line(comparison.reason, 4000));
  for (const std::string& line : comparison_details(comparison, name_of)) text += fmt::format("       {}\n", line);
  return text;
}

std::string failed_comparisons_text(const std::vector<Comparison>& comparisons) {
  const auto failed = std::ranges::count_if(comparisons, [](const Comparison& one) { return is_failure(one); });
  return failed == 0 ? "" : fmt::format(", {} failed", count_text(static_cast<std::size_t>(failed), "comparison"));
}

}  // namespace gpucheck::report
