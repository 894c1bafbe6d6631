#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/cases/case_documents.hpp"
#include "commands/cases/run_estimate.hpp"
#include "commands/commands.hpp"
#include "input/machine/machine_state.hpp"
#include "input/selection.hpp"
#include "input/site_environment.hpp"

namespace gpucheck::application {

namespace {

/// The expectations of these cases that stand on a basis, a line each.
/// @throws UsageError for a basis on which nothing stands.
std::string expectations_on(std::string_view basis, const std::vector<const harness::Case*>& cases,
                            const golden::GoldenSet& goldens) {
  std::string lines;
  std::set<std::string> known;
  for (const harness::Case* test_case : cases) {
    const golden::Golden* const golden = goldens.find(test_case->name);
    if (golden == nullptr) continue;
    for (const golden::Golden::Row& row : golden->rows()) {
      known.insert(row.basis);
      if (row.basis != basis) continue;
      lines += fmt::format("{}.{}: {}{}{}{}{}\n", test_case->name, row.key, row.expectation,
                           row.condition.empty() ? "" : ", ", row.condition, row.note.empty() ? "" : "; ", row.note);
    }
  }
  if (lines.empty()) {
    throw UsageError(fmt::format("no golden file of these cases has the basis \"{}\"; they have: {}", basis,
                                 fmt::join(known, ", ")));
  }
  return lines;
}

std::string device_line(const harness::DeviceIdentity& device) {
  std::vector<std::string> words;
  for (const std::string& word : {device.name, device.uuid, device.pci_bus_id}) {
    if (!word.empty()) words.push_back(one_line(word));
  }
  if (device.total_memory_bytes > 0) words.push_back(format_bytes(device.total_memory_bytes));
  if (!device.problem.empty()) words.push_back("cannot be used: " + one_line(device.problem));
  return fmt::format("{}:{}  {}\n", device.kind, device.ordinal, fmt::join(words, ", "));
}

/// 3 where one of them cannot be used.
int list_devices(const std::string& device_name) {
  const std::vector<harness::DeviceIdentity> devices = ask_devices(device_name);
  for (const harness::DeviceIdentity& device : devices) print(device_line(device));
  if (!devices.empty() && !devices.front().note.empty()) note(devices.front().note);
  const bool are_usable = std::ranges::all_of(devices, [](const auto& device) { return device.problem.empty(); });
  return static_cast<int>(are_usable ? harness::ExitCode::passed : harness::ExitCode::not_judged);
}

}  // namespace

int list(const Environment& environment, const ListOptions& options) {
  if (!options.device.empty() && !options.estimate) {
    if (options.json) throw UsageError("--device lists devices, which --json does not; gpucheck info --json does");
    return list_devices(options.device);
  }
  const SiteEnvironment site(environment, options.case_folders);
  // Reading golden files takes time; here they only tell a name to leave out from a mistyped one.
  const golden::GoldenSet goldens =
      options.selection.excluded.empty() ? golden::GoldenSet::from_embedded({}) : environment.embedded_goldens();
  std::vector<const harness::Case*> cases = select_cases(site.get().registry, goldens, options.selection);
  if (!options.basis.empty()) {
    print(expectations_on(options.basis, cases, load_goldens(site.get(), "", "")));
    return 0;
  }
  std::optional<RunEstimate> estimate;
  if (options.estimate) {
    cases = for_allocator(std::move(cases), options.selection, {});  // as a run does
    estimate =
        estimate_run(cases, options.device.empty() ? "auto" : options.device, options.jobs, environment.durations());
  }
  if (estimate && !options.json) {
    print(estimate_text(cases, *estimate));
    return 0;
  }
  if (options.json) {
    print_document(list_document(cases, estimate));
    return 0;
  }
  std::size_t width = 0;
  for (const harness::Case* test_case : cases) width = std::max(width, test_case->name.size());
  for (const harness::Case* test_case : cases) {
    print(options.plain ? fmt::format("{}\n", test_case->name)
                        : fmt::format("{:<{}}  {}\n", test_case->name, width, test_case->summary));
  }
  return 0;
}

}  // namespace gpucheck::application
