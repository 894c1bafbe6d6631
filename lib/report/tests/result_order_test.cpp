#include "report/result_order.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <tuple>

#include "report/run_set.hpp"

namespace gpucheck::report {
namespace {

/// (name, repetition, devices) of each.
using Order = std::vector<std::tuple<std::string, int, std::vector<int>>>;

const Order expected{{"b.x", 0, {0}}, {"b.x", 0, {1}},    {"b.x", 1, {0}},    {"b.x", 1, {1}}, {"b.x", 2, {0}},
                     {"b.x", 2, {1}}, {"a.x", 0, {0, 1}}, {"a.x", 1, {0, 1}}, {"c.x", 0, {}},  {"lost.a", 0, {}}};
const std::vector<harness::SelectedCase> selected{{.name = "b.x", .devices = {0}},
                                                  {.name = "a.x", .devices = {0, 1}},
                                                  {.name = "c.x"},
                                                  {.name = "b.x", .devices = {1}}};

std::vector<harness::CaseResult> in_some_order(unsigned seed) {
  std::vector<harness::CaseResult> results;
  for (const auto& [name, repetition, devices] : expected) {
    harness::CaseResult& result = results.emplace_back();
    result.name = name;
    result.repetition = repetition;
    result.devices = devices;
  }
  std::mt19937 random(seed);
  std::ranges::shuffle(results, random);
  return results;
}

TEST(ResultOrder, IsTheSameHoweverTheCasesEnded) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::vector<harness::CaseResult> results = in_some_order(seed);
    sort_as_selected(results, selected);
    Order seen;
    for (const harness::CaseResult& result : results) seen.emplace_back(result.name, result.repetition, result.devices);
    EXPECT_EQ(seen, expected) << "seed " << seed;
  }
}

TEST(ResultOrder, MakesTheSameReportsHoweverTheCasesEnded) {
  const auto reports = [](unsigned seed) {
    fleet::RunRecord run;
    run.start.selected = selected;
    run.results = in_some_order(seed);
    for (harness::CaseResult& result : run.results) result.outcome = harness::Outcome::pass;
    return std::pair(json_document(run), junit_document(run));
  };
  const auto [json, junit] = reports(0);
  for (unsigned seed = 1; seed < 20; ++seed) EXPECT_EQ(reports(seed), std::pair(json, junit));
  const auto document = nlohmann::json::parse(json);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(document["cases"].at(i)["name"], std::get<0>(expected[i]));
    EXPECT_EQ(document["cases"].at(i)["repetition"], std::get<1>(expected[i]));
    EXPECT_EQ(document["cases"].at(i)["devices"], std::get<2>(expected[i]));
  }
}

}  // namespace
}  // namespace gpucheck::report
