#include "report/formats/exposition.hpp"

#include <cmath>
#include <fmt/format.h>

#include "base/text/sanitize.hpp"

namespace gpucheck::report {
namespace {

std::string escaped_label(std::string_view raw) {
  std::string escaped;
  for (const char c : one_line(raw)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string sample_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string series_of(const std::string& name, const Labels& labels) {
  std::string text;
  for (const auto& [label, value] : labels) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", label, escaped_label(value));
  }
  return text.empty() ? name : fmt::format("{}{{{}}}", name, text);
}

}  // namespace

Labels with(Labels labels, const Labels& more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

void Exposition::add(const std::string& name, std::string_view help, const Labels& labels, double value) {
  const auto [place, is_new] = places_.try_emplace(name, families_.size());
  if (is_new) families_.push_back(fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name));
  // A reader keeps none of two series with one name.
  std::string series = series_of(name, labels);
  for (int copy = 2; !series_.insert(series).second; ++copy) {
    series = series_of(name, with(labels, {{"copy", fmt::format("{}", copy)}}));
  }
  families_[place->second] += fmt::format("{} {}\n", series, sample_value(value));
}

void Exposition::add_verdict(const std::string& name, std::string_view help, const Labels& labels,
                             harness::Verdict verdict) {
  using harness::Verdict;
  for (const Verdict one : {Verdict::passed, Verdict::failed, Verdict::not_judged}) {
    add(name, help, with(labels, {{"verdict", std::string(harness::to_text(one))}}), one == verdict ? 1 : 0);
  }
}

std::string Exposition::text() const {
  std::string all;
  for (const std::string& family : families_) all += family;
  return all;
}

}  // namespace gpucheck::report
