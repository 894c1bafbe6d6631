#include "harness/case/registry.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "device/fault/common_plans.hpp"

namespace gpucheck::harness {
namespace {

void do_nothing(Context&) {}
int exit_at_once(Context&) { return 0; }

Case make_case(std::string name) {
  return {.name = std::move(name), .summary = "", .source = "test_source", .run = do_nothing};
}

Registry make_registry() {
  std::vector<Case> cases;
  for (const char* name : {"graph.empty_graph_warning", "alloc.oom_retry", "alloc.fuzz", "alloc.oom_message",
                           "graph.capture_simple", "host.lazy_init", "allocator.limits"}) {
    cases.push_back(make_case(name));
  }
  return Registry(std::move(cases));
}

std::vector<std::string> select(const std::vector<std::string>& globs) {
  const Registry registry = make_registry();
  std::vector<std::string> names;
  for (const Case* test_case : registry.select(globs)) names.push_back(test_case->name);
  return names;
}

/// Why a registry with this case cannot be made.
std::string registration_error_of(const std::function<void(Case&)>& change) {
  Case test_case = make_case("alloc.fuzz");
  change(test_case);
  try {
    const Registry registry({test_case});
    return "registered";
  } catch (const Error& error) {
    return error.what();
  }
}

using Names = std::vector<std::string>;

TEST(Registry, SortsByName) {
  const Registry registry = make_registry();
  const auto less = [](const Case& a, const Case& b) { return a.name < b.name; };
  EXPECT_TRUE(std::is_sorted(registry.cases().begin(), registry.cases().end(), less));
  EXPECT_EQ(registry.cases().size(), 7U);
}

TEST(Registry, FindsExactNamesOnly) {
  const Registry registry = make_registry();
  ASSERT_NE(registry.find("alloc.fuzz"), nullptr);
  EXPECT_EQ(registry.find("alloc.fuzz")->name, "alloc.fuzz");
  EXPECT_EQ(registry.find("alloc.fuz"), nullptr);
  EXPECT_EQ(registry.find("alloc"), nullptr);
  EXPECT_EQ(registry.find(""), nullptr);
}

TEST(Registry, RejectsAUnknownNameWithTheNearest) {
  const Registry registry = make_registry();
  EXPECT_EQ(registry.require("host.lazy_init").name, "host.lazy_init");
  try {
    static_cast<void>(registry.require("alloc.fuzy"));
    FAIL() << "an unknown name was accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("no case named \"alloc.fuzy\"; the nearest: alloc.fuzz,"),
              std::string::npos)
        << error.what();
  }
}

TEST(Registry, NamesTheNearestFirst) {
  const Registry registry = make_registry();
  EXPECT_EQ(registry.nearest("alloc.fzuz", 1), Names{"alloc.fuzz"});
  EXPECT_EQ(registry.nearest("fuzz", 1), Names{"alloc.fuzz"});
  EXPECT_EQ(registry.nearest("lazy", 1), Names{"host.lazy_init"});
  EXPECT_EQ(registry.nearest("graph.capture", 1), Names{"graph.capture_simple"});
  EXPECT_EQ(registry.nearest("alloc.oom", 2), (Names{"alloc.oom_retry", "alloc.oom_message"}));
  EXPECT_EQ(registry.nearest("x", 100).size(), 7U);
  EXPECT_EQ(registry.nearest(std::string(1'000'000, 'x')).size(), 3U);
}

TEST(Selection, IsEverythingWithoutAGlob) { EXPECT_EQ(select({}).size(), 7U); }

TEST(Selection, TakesNamesGroupsAndGlobs) {
  EXPECT_EQ(select({"alloc.fuzz"}), Names{"alloc.fuzz"});
  EXPECT_EQ(select({"alloc"}), (Names{"alloc.fuzz", "alloc.oom_message", "alloc.oom_retry"}));
  EXPECT_EQ(select({"alloc.oom*"}), (Names{"alloc.oom_message", "alloc.oom_retry"}));
  EXPECT_EQ(select({"*_simple", "host"}), (Names{"graph.capture_simple", "host.lazy_init"}));
  EXPECT_EQ(select({"alloc.f???", "alloc"}).size(), 3U);  // each once
}

TEST(Selection, IsEmptyForAGlobThatMatchesNothing) { EXPECT_TRUE(select({"nothing.*"}).empty()); }

TEST(Selection, RejectsAWordThatNamesNothing) {
  EXPECT_THROW(select({"alloc.*", "graph.capture_simpel"}), UsageError);
  EXPECT_THROW(select({"gra"}), UsageError);
  EXPECT_THROW(select({""}), UsageError);
}

TEST(Globs, MatchTheWholeText) {
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("**", "abc"));
  EXPECT_TRUE(matches_glob("a*c", "abbbc"));
  EXPECT_TRUE(matches_glob("*.oom_*", "alloc.oom_retry"));
  EXPECT_TRUE(matches_glob("*ab", "aab"));
  EXPECT_TRUE(matches_glob("a?c", "abc"));
  EXPECT_FALSE(matches_glob("a?c", "ac"));
  EXPECT_FALSE(matches_glob("?", ""));
  EXPECT_FALSE(matches_glob("a*c", "abcd"));
  EXPECT_FALSE(matches_glob("abc", "ab"));
  EXPECT_FALSE(matches_glob("", "a"));
  EXPECT_FALSE(matches_glob("a.c", "abc"));
}

TEST(Globs, TakeNoExponentialTime) { EXPECT_FALSE(matches_glob("*a*a*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a'))); }

TEST(CaseCheck, AcceptsAPlainCase) {
  EXPECT_EQ(registration_error_of([](Case&) {}), "registered");
}

TEST(CaseCheck, RejectsMalformedNames) {
  for (const char* name : {"", "alloc", ".fuzz", "alloc.", "alloc.fuzz.more", "Alloc.fuzz", "alloc.fu-zz",
                           "alloc .fuzz", "alloc.\xc3\xa4"}) {
    EXPECT_NE(registration_error_of([name](Case& test_case) { test_case.name = name; }).find("the name is not"),
              std::string::npos)
        << name;
  }
}

TEST(CaseCheck, RejectsTwoCasesOfOneNameAndNamesBothSources) {
  Case first = make_case("alloc.fuzz");
  first.source = "first_source";
  try {
    const Registry registry({make_case("alloc.oom_retry"), first, make_case("alloc.fuzz")});
    FAIL() << "two cases share a name";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("first_source"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("test_source"), std::string::npos) << error.what();
  }
}

TEST(CaseCheck, RejectsWhatCannotRun) {
  using std::chrono::milliseconds;
  EXPECT_NE(registration_error_of([](Case& test_case) { test_case.run = nullptr; }).find("no function"),
            std::string::npos);
  EXPECT_NE(registration_error_of([](Case& test_case) { test_case.deadline = milliseconds(0); }).find("deadline"),
            std::string::npos);
  EXPECT_NE(registration_error_of([](Case& test_case) { test_case.needs.devices = -1; }).find("negative"),
            std::string::npos);
  for (const double fraction : {1.5, std::nextafter(1.0, 2.0), -std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(registration_error_of([=](Case& test_case) { test_case.needs.memory_fraction = fraction; }).find("share"),
              std::string::npos)
        << fraction;
  }
  for (const double fraction : {0.0, 1.0}) {
    EXPECT_EQ(registration_error_of([=](Case& test_case) { test_case.needs.memory_fraction = fraction; }),
              "registered");
  }
  EXPECT_EQ(registration_error_of([](Case& test_case) { test_case.deadline = milliseconds(1); }), "registered");
  EXPECT_NE(registration_error_of([](Case& test_case) {
              test_case.children = {{"child", nullptr}};
            }).find("child"),
            std::string::npos);
}

TEST(CaseCheck, RejectsNamesDeclaredTwice) {
  const Parameter parameter{.name = "size", .summary = "", .default_value = std::int64_t{1}};
  const Fault fault{.name = "lost", .summary = "", .plan = {{{fault::Operation::copy, fault::Effect::drop}}}};
  EXPECT_NE(registration_error_of([&](Case& test_case) {
              test_case.parameters = {parameter, parameter};
            }).find("declared twice"),
            std::string::npos);
  EXPECT_NE(registration_error_of([&](Case& test_case) {
              test_case.faults = {fault, fault};
            }).find("declared twice"),
            std::string::npos);
  EXPECT_NE(registration_error_of([](Case& test_case) {
              test_case.children = {{"child", exit_at_once}, {"child", exit_at_once}};
            }).find("declared twice"),
            std::string::npos);
}

TEST(CaseCheck, RejectsAParameterWhoseDefaultIsNotAllowed) {
  const Parameter parameter{.name = "size", .summary = "", .default_value = std::int64_t{0}, .minimum = 1};
  EXPECT_NE(registration_error_of([&](Case& test_case) { test_case.parameters = {parameter}; }).find("too small"),
            std::string::npos);
}

TEST(CaseCheck, AsksAFaultForItsPlanOnAsManyDevicesAsTheCaseNeeds) {
  const auto breaks_from_two_on = [](std::size_t devices) {
    return devices < 2 ? fault::Plan() : fault::copy_lost(fault::Calls{devices, 1});
  };
  const Fault fault{.name = "some", .summary = "", .plan_for_devices = breaks_from_two_on};
  EXPECT_EQ(fault.plan_on(8).rules.front().first, 8U);
  const auto with_devices = [&fault](int devices) {
    return registration_error_of([&](Case& test_case) {
      test_case.needs.devices = devices;
      test_case.faults = {fault};
    });
  };
  EXPECT_NE(with_devices(1).find("breaks nothing"), std::string::npos);
  EXPECT_EQ(with_devices(2), "registered");
}

TEST(CaseCheck, RejectsAFaultThatBreaksNothing) {
  EXPECT_NE(registration_error_of([](Case& test_case) {
              test_case.faults = {{.name = "nothing", .summary = "", .plan = {}}};
            }).find("breaks nothing"),
            std::string::npos);
}

TEST(CaseCheck, KnowsFaultsOfWhatTheDriverTells) {
  using telemetry::Reading;
  EXPECT_EQ(registration_error_of([](Case& test_case) {
              test_case.faults = {
                  {.name = "hot", .summary = "", .telemetry = telemetry::always(Reading::power_draw, std::int64_t{1})}};
            }),
            "registered");
  EXPECT_NE(registration_error_of([](Case& test_case) {
              test_case.faults = {
                  {.name = "wrong", .summary = "", .telemetry = telemetry::always(telemetry::Aspect::xid, true)}};
            }).find("makes no sense"),
            std::string::npos);
}

TEST(Case, KnowsItsPartsByName) {
  Case test_case = make_case("alloc.fuzz");
  test_case.parameters = {{.name = "size", .summary = "", .default_value = std::int64_t{1}}};
  test_case.faults = {{.name = "lost", .summary = "", .plan = {}}};
  test_case.children = {{"child", exit_at_once}};
  EXPECT_EQ(test_case.group(), "alloc");
  EXPECT_EQ(test_case.find_parameter("size"), &test_case.parameters[0]);
  EXPECT_EQ(test_case.find_fault("lost"), &test_case.faults[0]);
  EXPECT_EQ(test_case.find_child("child"), &test_case.children[0]);
  EXPECT_EQ(test_case.find_parameter("lost"), nullptr);
  EXPECT_EQ(test_case.find_fault("child"), nullptr);
  EXPECT_EQ(test_case.find_child("size"), nullptr);
}

}  // namespace
}  // namespace gpucheck::harness
