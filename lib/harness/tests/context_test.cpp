#include "harness/context.hpp"

#include "harness/tests/bench.hpp"

namespace gpucheck::harness {
namespace {

TEST(ContextObservations, AreKeptInOrderAndToldAtOnce) {
  Bench bench;
  Context context(bench.setup());
  context.observe("z", true);
  EXPECT_EQ(bench.observed.size(), 1U);
  context.observe("a", 1);
  context.observe("text", "words");
  context.observe("m", std::uint64_t{9'223'372'036'854'775'807U});
  const Observations expected{{"z", Value(true)},
                              {"a", Value(std::int64_t{1})},
                              {"text", Value(std::string("words"))},
                              {"m", Value(std::numeric_limits<std::int64_t>::max())}};
  EXPECT_EQ(context.observations(), expected);
  EXPECT_EQ(bench.observed, expected);
}

TEST(ContextObservations, HaveEachKeyOnce) {
  Bench bench;
  Context context(bench.setup());
  context.observe("key", 1);
  EXPECT_THROW(context.observe("key", 2), Error);
  EXPECT_EQ(context.observations(), (Observations{{"key", Value(std::int64_t{1})}}));
}

TEST(ContextObservations, RefuseWhatNoGoldenFileCouldHold) {
  Bench bench;
  Context context(bench.setup());
  EXPECT_THROW(context.observe("", 1), Error);
  EXPECT_THROW(context.observe("rule.no_hazard", true), Error);
  EXPECT_THROW(context.observe("large", std::uint64_t{9'223'372'036'854'775'808U}), Error);
  EXPECT_TRUE(context.observations().empty());
  EXPECT_TRUE(bench.observed.empty());
}

Bench with_parameters() {
  Bench bench;
  bench.which.parameters = {{.name = "count", .summary = "", .default_value = std::int64_t{3}},
                            {.name = "share", .summary = "", .default_value = 0.5},
                            {.name = "verify", .summary = "", .default_value = true},
                            {.name = "mode", .summary = "", .default_value = std::string("full")}};
  return bench;
}

TEST(ContextParameters, HaveTheirDefaults) {
  Bench bench = with_parameters();
  const Context context(bench.setup());
  EXPECT_EQ(context.integer("count"), 3);
  EXPECT_EQ(context.real("share"), 0.5);
  EXPECT_TRUE(context.flag("verify"));
  EXPECT_EQ(context.text("mode"), "full");
}

TEST(ContextParameters, TakeWhatWasGiven) {
  Bench bench = with_parameters();
  bench.parameters = {{"count", std::int64_t{4}}, {"mode", std::string("sample")}};
  const Context context(bench.setup());
  EXPECT_EQ(context.integer("count"), 4);
  EXPECT_EQ(context.text("mode"), "sample");
  EXPECT_EQ(context.real("share"), 0.5);
  EXPECT_EQ(context.seed(), 7U);
}

TEST(ContextParameters, RefuseOtherNamesAndTypes) {
  Bench bench = with_parameters();
  const Context context(bench.setup());
  EXPECT_THROW(static_cast<void>(context.integer("size")), Error);
  EXPECT_THROW(static_cast<void>(context.integer("share")), Error);
  EXPECT_THROW(static_cast<void>(context.real("count")), Error);
  EXPECT_THROW(static_cast<void>(context.flag("mode")), Error);
  EXPECT_THROW(static_cast<void>(context.text("verify")), Error);
}

TEST(ContextParameters, RefuseGivenValuesThatWereNotDeclared) {
  Bench bench = with_parameters();
  bench.parameters = {{"size", std::int64_t{4}}};
  EXPECT_THROW(const Context context(bench.setup()), Error);
  bench.parameters = {{"count", 4.0}};
  EXPECT_THROW(const Context context(bench.setup()), Error);
}

TEST(ContextDevice, IsOpenedOnFirstUse) {
  Bench bench;
  Context context(bench.setup());
  EXPECT_FALSE(context.has_runtime());
  EXPECT_TRUE(bench.is_untouched());
  EXPECT_TRUE(context.device().memory_info());
  EXPECT_FALSE(bench.is_untouched());
  EXPECT_FALSE(context.has_runtime());
  EXPECT_EQ(&context.runtime().device(), &context.device());
  EXPECT_EQ(&context.runtime(), &context.runtime());
  EXPECT_TRUE(context.has_runtime());
}

TEST(ContextDevice, MustExist) {
  Bench bench;
  Context::Setup setup = bench.setup();
  setup.ordinals = {5};
  Context context(std::move(setup));
  EXPECT_THROW(static_cast<void>(context.device()), device::DeviceError);
}

/// Answers for every child it is asked to start.
class FakeLauncher final : public ChildLauncher {
 public:
  std::vector<ChildResult> run(const Case& which, const std::vector<std::string>& names,
                               std::chrono::milliseconds) override {
    std::vector<ChildResult> results;
    for (const std::string& name : names) {
      results.emplace_back();
      results.back().output = which.name + "/" + name;
    }
    if (lose_one) results.pop_back();
    return results;
  }
  bool lose_one = false;
};

constexpr std::chrono::milliseconds limit{100};

TEST(ContextChildren, AreStartedByTheLauncher) {
  FakeLauncher launcher;
  Bench bench;
  bench.which.children = {{"first", [](Context&) { return 0; }}, {"second", [](Context&) { return 0; }}};
  bench.children = &launcher;
  Context context(bench.setup());
  const std::vector<ChildResult> results = context.run_children({"second", "first"}, limit);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].output, "test.made_up/second");
  EXPECT_EQ(results[1].output, "test.made_up/first");
  EXPECT_EQ(context.run_child("first", limit).output, "test.made_up/first");
}

TEST(ContextChildren, MustBeDeclaredStartedAndComeBack) {
  FakeLauncher launcher;
  Bench bench;
  bench.which.children = {{"first", [](Context&) { return 0; }}};
  Context alone(bench.setup());
  EXPECT_THROW(static_cast<void>(alone.run_child("first", limit)), Error);
  bench.children = &launcher;
  Context context(bench.setup());
  EXPECT_THROW(static_cast<void>(context.run_child("other", limit)), Error);
  launcher.lose_one = true;
  EXPECT_THROW(static_cast<void>(context.run_child("first", limit)), Error);
}

}  // namespace
}  // namespace gpucheck::harness
