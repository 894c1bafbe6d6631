#include <array>
#include <fmt/format.h>
#include <iterator>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "commands/commands.hpp"
#include "fleet/baseline.hpp"
#include "output/distinct_files.hpp"

namespace gpucheck::application {

int baseline_make(const Environment& /*environment*/, const BaselineMakeOptions& options) {
  std::vector<NamedFile> results;
  for (const std::string& path : options.results) results.push_back({"a result that the limits are made from", path});
  check_distinct(std::array{NamedFile{"--output", options.output_path}}, results);
  OutputFile file(options.output_path, "limits");
  std::vector<fleet::MeasuredValue> values;
  for (const std::string& path : options.results) {
    std::ranges::move(fleet::measured_values(read_input_file(path, "results"), path), std::back_inserter(values));
  }
  fleet::check_measured_once(values);
  const fleet::Baseline baseline = fleet::make_baseline(values, {.minimum_count = options.minimum_count});
  for (const std::string& left_out : baseline.left_out) note(fmt::format("no limit for {}", left_out));
  file.commit(baseline.limits);
  return 0;
}

}  // namespace gpucheck::application
