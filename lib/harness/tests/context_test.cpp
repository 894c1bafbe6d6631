#include "harness/case/context.hpp"

#include "harness/case/counting_device.hpp"
#include "harness/tests/fixture.hpp"

namespace gpucheck::harness {
namespace {

TEST(ContextObservations, AreKeptInOrderAndToldAtOnce) {
  Fixture fixture;
  Context context(fixture.setup());
  context.observe("z", true);
  EXPECT_EQ(fixture.observed.size(), 1U);
  context.observe("a", 1);
  context.observe("text", "words");
  context.observe("m", std::uint64_t{9'223'372'036'854'775'807U});
  const Observations expected{{"z", Value(true)},
                              {"a", Value(std::int64_t{1})},
                              {"text", Value(std::string("words"))},
                              {"m", Value(std::numeric_limits<std::int64_t>::max())}};
  EXPECT_EQ(context.observations(), expected);
  EXPECT_EQ(fixture.observed, expected);
}

TEST(ContextObservations, HaveEachKeyOnce) {
  Fixture fixture;
  Context context(fixture.setup());
  context.observe("key", 1);
  EXPECT_THROW(context.observe("key", 2), Error);
  EXPECT_EQ(context.observations(), (Observations{{"key", Value(std::int64_t{1})}}));
}

TEST(ContextObservations, HaveEachKeyOnceHoweverManyLieBetween) {
  Fixture fixture;
  Context context(fixture.setup());
  for (const char* key : {"first", "second", "rule", "ruler"}) context.observe(key, 1);
  EXPECT_THROW(context.observe("first", 2), Error);
  EXPECT_EQ(context.observations().size(), 4U);
  context.observe("third", 3);
  EXPECT_EQ(context.observations().back(), (Observation{"third", Value(std::int64_t{3})}));
}

TEST(ContextObservations, HoldToTheEndsOf64Bits) {
  Fixture fixture;
  Context context(fixture.setup());
  context.observe("least", std::numeric_limits<std::int64_t>::min());
  context.observe("greatest", (std::uint64_t{1} << 63U) - 1);
  EXPECT_THROW(context.observe("beyond", std::uint64_t{1} << 63U), Error);
  EXPECT_THROW(context.observe("far_beyond", std::numeric_limits<std::uint64_t>::max()), Error);
  EXPECT_EQ(context.observations()[0].value, Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(context.observations()[1].value, Value(std::numeric_limits<std::int64_t>::max()));
}

TEST(ContextObservations, RejectWhatNoGoldenFileCouldHold) {
  Fixture fixture;
  Context context(fixture.setup());
  EXPECT_THROW(context.observe("", 1), Error);
  EXPECT_THROW(context.observe("rule.no_hazard", true), Error);
  EXPECT_THROW(context.observe("rule.", true), Error);
  EXPECT_THROW(context.observe("large", std::uint64_t{9'223'372'036'854'775'808U}), Error);
  EXPECT_TRUE(context.observations().empty());
  EXPECT_TRUE(fixture.observed.empty());
}

Fixture with_parameters() {
  Fixture fixture;
  fixture.test_case.parameters = {{.name = "count", .summary = "", .default_value = std::int64_t{3}},
                                  {.name = "share", .summary = "", .default_value = 0.5},
                                  {.name = "verify", .summary = "", .default_value = true},
                                  {.name = "mode", .summary = "", .default_value = std::string("full")}};
  return fixture;
}

TEST(ContextParameters, HaveTheirDefaults) {
  Fixture fixture = with_parameters();
  const Context context(fixture.setup());
  EXPECT_EQ(context.parameter<std::int64_t>("count"), 3);
  EXPECT_EQ(context.parameter<double>("share"), 0.5);
  EXPECT_TRUE(context.parameter<bool>("verify"));
  EXPECT_EQ(context.parameter<std::string>("mode"), "full");
}

TEST(ContextParameters, TakeWhatWasGiven) {
  Fixture fixture = with_parameters();
  fixture.parameters = {{"count", std::int64_t{4}}, {"mode", std::string("sample")}};
  const Context context(fixture.setup());
  EXPECT_EQ(context.parameter<std::int64_t>("count"), 4);
  EXPECT_EQ(context.parameter<std::string>("mode"), "sample");
  EXPECT_EQ(context.parameter<double>("share"), 0.5);
  EXPECT_EQ(context.seed(), 7U);
}

TEST(ContextParameters, RejectOtherNamesAndTypes) {
  Fixture fixture = with_parameters();
  const Context context(fixture.setup());
  EXPECT_THROW(static_cast<void>(context.parameter<std::int64_t>("size")), Error);
  EXPECT_THROW(static_cast<void>(context.parameter<std::int64_t>("share")), Error);
  EXPECT_THROW(static_cast<void>(context.parameter<double>("count")), Error);
  EXPECT_THROW(static_cast<void>(context.parameter<bool>("mode")), Error);
  EXPECT_THROW(static_cast<void>(context.parameter<std::string>("verify")), Error);
}

TEST(ContextParameters, RejectGivenValuesThatWereNotDeclared) {
  Fixture fixture = with_parameters();
  fixture.parameters = {{"size", std::int64_t{4}}};
  EXPECT_THROW(const Context context(fixture.setup()), Error);
  fixture.parameters = {{"count", 4.0}};
  EXPECT_THROW(const Context context(fixture.setup()), Error);
}

TEST(ContextDevice, IsOpenedOnFirstUse) {
  Fixture fixture;
  Context context(fixture.setup());
  EXPECT_FALSE(context.has_runtime());
  EXPECT_TRUE(fixture.is_untouched());
  EXPECT_TRUE(context.device().memory_info());
  EXPECT_FALSE(fixture.is_untouched());
  EXPECT_FALSE(context.has_runtime());
  EXPECT_EQ(&context.runtime().device(), &context.device());
  EXPECT_EQ(&context.runtime(), &context.runtime());
  EXPECT_TRUE(context.has_runtime());
}

TEST(ContextDevice, HasACurrentStreamThatIsNotTheDefaultOne) {
  Fixture fixture;
  Context context(fixture.setup());
  EXPECT_NE(context.runtime().current_stream(), context.device().default_stream());
  EXPECT_NE(context.runtime().streams().stream_id(context.runtime().current_stream()), 0);
  fixture.test_case.needs.default_stream = true;
  Context about_it(fixture.setup());
  EXPECT_EQ(about_it.runtime().current_stream(), about_it.device().default_stream());
}

TEST(ContextDevice, CountsHostMemoryThatIsRegistered) {
  Fixture fixture;
  Context context(fixture.setup());
  std::vector<float> memory(2048);
  EXPECT_EQ(context.registered_host_memory().allocations, 0U);
  device::check(context.device().register_host(memory.data(), 8192), "register_host");
  EXPECT_NE(context.device().register_host(memory.data(), 8192), device::Status::success);
  EXPECT_EQ(context.registered_host_memory().allocations, 1U);
  EXPECT_EQ(context.registered_host_memory().bytes, 8192U);
  device::check(context.device().unregister_host(memory.data()), "unregister_host");
  EXPECT_EQ(context.registered_host_memory().allocations, 0U);
}

TEST(ContextDevice, MustExist) {
  Fixture fixture;
  Context::Setup setup = fixture.setup();
  setup.ordinals = {5};
  Context context(std::move(setup));
  EXPECT_THROW(static_cast<void>(context.device()), device::DeviceError);
}

/// Answers for every child it is asked to start.
class FakeLauncher final : public ChildLauncher {
 public:
  std::vector<ChildResult> run(const Case& test_case, const std::vector<std::string>& names,
                               std::chrono::milliseconds) override {
    std::vector<ChildResult> results;
    for (const std::string& name : names) {
      results.emplace_back();
      results.back().output = test_case.name + "/" + name;
    }
    if (lose_one) results.pop_back();
    return results;
  }
  ProgramEnd run_program(const ProgramStart& start, const std::function<void(std::string_view)>& take) override {
    take(start.path);
    return {.exit_code = 0, .signal = {}};
  }
  bool lose_one = false;
};

constexpr std::chrono::milliseconds limit{100};

TEST(ContextChildren, AreStartedByTheLauncher) {
  FakeLauncher launcher;
  Fixture fixture;
  fixture.test_case.children = {{"first", [](Context&) { return 0; }}, {"second", [](Context&) { return 0; }}};
  fixture.children = &launcher;
  Context context(fixture.setup());
  const std::vector<ChildResult> results = context.run_children({"second", "first"}, limit);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].output, "test.made_up/second");
  EXPECT_EQ(results[1].output, "test.made_up/first");
  EXPECT_EQ(context.run_child("first", limit).output, "test.made_up/first");
}

TEST(ContextChildren, MustBeDeclaredStartedAndComeBack) {
  FakeLauncher launcher;
  Fixture fixture;
  fixture.test_case.children = {{"first", [](Context&) { return 0; }}};
  Context alone(fixture.setup());
  EXPECT_THROW(static_cast<void>(alone.run_child("first", limit)), Error);
  fixture.children = &launcher;
  Context context(fixture.setup());
  EXPECT_THROW(static_cast<void>(context.run_child("other", limit)), Error);
  launcher.lose_one = true;
  EXPECT_THROW(static_cast<void>(context.run_child("first", limit)), Error);
}

}  // namespace
}  // namespace gpucheck::harness
