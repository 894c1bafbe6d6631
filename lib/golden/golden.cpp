#include "golden/golden.hpp"

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

std::vector<harness::Measurement> Golden::measure(const harness::Observations& observations,
                                                  const Conditions& conditions) const {
  return golden::measure(*content_, observations, conditions);
}

std::vector<std::string> Golden::judged_keys(const Conditions& conditions) const {
  return golden::judged_keys(*content_, conditions);
}

std::vector<Golden::Row> Golden::rows() const {
  std::vector<Row> rows;
  for (const Entry& entry : content_->entries) {
    for (const Expectation& expectation : entry.alternatives) {
      rows.push_back({.key = entry.key,
                      .expectation = describe(expectation.matcher),
                      .basis = expectation.basis,
                      .failure = expectation.failure,
                      .condition = expectation.condition(),
                      .note = expectation.note});
    }
  }
  return rows;
}

}  // namespace gpucheck::golden
