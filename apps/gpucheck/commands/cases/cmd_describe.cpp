#include <fmt/format.h>

#include "commands/cases/case_documents.hpp"
#include "commands/commands.hpp"
#include "input/selection.hpp"
#include "input/site_environment.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;

std::string heading(const Case& test_case) {
  std::string text =
      fmt::format("{}\n  {}\n\nsource    {}\nneeds     {}\ndeadline  {} ms\n", test_case.name, test_case.summary,
                  test_case.source, harness::to_text(test_case.needs), test_case.deadline.count());
  if (const auto& program = test_case.program) {
    text += fmt::format("program   {}/{}\ndigest    {}\n", program->folder, program->file, program->digest);
  }
  return text;
}

std::string parameters_text(const Case& test_case) {
  std::string text = test_case.parameters.empty() ? "" : "\nparameters (-p name=value)\n";
  for (const harness::Parameter& parameter : test_case.parameters) {
    const std::string default_text = harness::to_text(parameter.default_value);
    text += fmt::format("  {}  {}; default {}{}{}\n      {}\n", parameter.name, parameter.allowed(), default_text,
                        parameter.unit.empty() ? "" : " ", parameter.unit, parameter.summary);
  }
  return text;
}

std::string faults_text(const Case& test_case) {
  std::string text = test_case.faults.empty() ? "\nfaults    none declared\n" : "\nfaults that must turn it red\n";
  for (const harness::Fault& fault : test_case.faults)
    text += fmt::format("  {}\n      {}\n", fault.name, fault.summary);
  return text;
}

std::string golden_text(const golden::Golden* golden) {
  if (golden == nullptr) return "\ngolden    none: without one the case fails\n";
  std::string text = fmt::format("\nexpected ({})\n", golden->origin());
  for (const golden::Golden::Row& row : golden->rows()) {
    text += fmt::format("  {}: {}  [{}{}{}; else {}{}]\n", row.key, row.expectation, row.basis,
                        row.condition.empty() ? "" : ", ", row.condition, row.warns ? "a warning, " : "", row.failure);
    if (!row.note.empty()) text += fmt::format("      {}\n", row.note);
  }
  return text;
}

}  // namespace

int describe(const Environment& environment, const DescribeOptions& options) {
  const SiteEnvironment site(environment, options.case_folders);
  const Case& test_case = site.get().registry.require(options.case_name);
  const golden::GoldenSet goldens = load_goldens(site.get(), options.golden_directory, options.limits_path);
  const golden::Golden* golden = goldens.find(test_case.name);
  if (options.json) {
    print_document(case_document(test_case, golden));
  } else {
    print(heading(test_case) + parameters_text(test_case) + faults_text(test_case) + golden_text(golden));
  }
  return 0;
}

}  // namespace gpucheck::application
