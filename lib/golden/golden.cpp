#include "golden/golden.hpp"

#include <fmt/format.h>

#include "golden/compare.hpp"
#include "golden/content.hpp"

namespace gpucheck::golden {

struct Golden::Content : FileContent {};

Golden Golden::parse(std::string_view json, std::string origin) {
  return Golden(std::make_shared<const Content>(Content{parse_content(json, std::move(origin), Unapproved::rejected)}));
}

const std::string& Golden::case_name() const noexcept { return content_->case_name; }

const std::string& Golden::origin() const noexcept { return content_->origin; }

std::vector<harness::Mismatch> Golden::compare(const harness::Observations& observations,
                                               const Conditions& conditions) const {
  return golden::compare(*content_, observations, conditions);
}

std::vector<harness::Mismatch> Golden::warnings(const harness::Observations& observations,
                                                const Conditions& conditions) const {
  return golden::warnings(*content_, observations, conditions);
}

std::vector<harness::Measurement> Golden::measure(const harness::Observations& observations,
                                                  const Conditions& conditions) const {
  return golden::measure(*content_, observations, conditions);
}

std::vector<std::string> Golden::judged_keys(const Conditions& conditions) const {
  return golden::judged_keys(*content_, conditions);
}

std::vector<std::string> Golden::limited_values() const {
  std::vector<std::string> names;
  for (const Entry& entry : content_->entries) {
    for (const Expectation& expectation : entry.alternatives) {
      const auto* const limited = std::get_if<Limited>(&expectation.matcher);
      if (limited == nullptr) continue;
      const std::string_view end = limited->parameter.empty() ? "" : ".*";
      names.push_back(fmt::format("{}.{}{}", content_->case_name, entry.key, end));
    }
  }
  return names;
}

std::vector<Golden::Row> Golden::rows() const {
  std::vector<Row> rows;
  for (const Entry& entry : content_->entries) {
    for (const Expectation& expectation : entry.alternatives) {
      rows.push_back({.key = entry.key,
                      .expectation = describe(expectation.matcher),
                      .basis = expectation.basis,
                      .failure = expectation.failure,
                      .warns = expectation.warns,
                      .condition = expectation.condition(),
                      .note = expectation.note});
    }
  }
  return rows;
}

}  // namespace gpucheck::golden
