#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/tests/run_case.hpp"

// health.nvlink and health.nvlink_quality: how many links should be up, how fast, and from which error on they fail.
namespace gpucheck::cases::test_of_links {
namespace {

using telemetry::Gpu;
using telemetry::Link;
using telemetry::LinkReading;
using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A tenth of a second: what is counted in it is a tenth of what a second has.
const harness::ParameterValues tenth{{"window_ms", std::int64_t{100}}};
const harness::ParameterValues moment{{"window_ms", std::int64_t{1}}};

harness::ParameterValues with(harness::ParameterValues parameters, const std::string& name,
                              const harness::ParameterValue& value) {
  parameters[name] = value;
  return parameters;
}

/// So many GPUs of a model; of the first so many links are up, of the others all 18.
Machine linked(std::size_t gpus, const std::string& model, std::size_t up) {
  Machine machine = healthy_gpus(gpus);
  for (Gpu& gpu : machine.gpus) gpu[Reading::name] = model;
  for (std::size_t i = up; i < 18; ++i) machine.gpus[0].links[i][LinkReading::is_active] = false;
  return machine;
}

const std::string hopper = "NVIDIA H100 80GB HBM3";
const std::string card = "NVIDIA H100 NVL";
const std::string unheard_of = "NVIDIA Z1";

Seen links(const Machine& machine, const harness::ParameterValues& parameters = moment, const Script& script = {}) {
  return run_case(case_named("health.nvlink"), machine, script, parameters);
}

TEST(Nvlink, AsManyAsTheModelHasShouldBeUp) {
  const Seen fine = links(linked(1, hopper, 18));
  EXPECT_EQ(fine.number("links_missing"), 0);
  EXPECT_EQ(fine.number("links_expected"), 18);
  EXPECT_EQ(fine.number("links_up"), 18);
  EXPECT_THAT(fine.texts("links_unexplained"), IsEmpty());
  EXPECT_THAT(fine.texts("links_with_new_errors"), IsEmpty());
  EXPECT_THAT(fine.texts("links_with_recoveries"), IsEmpty());
  EXPECT_THAT(fine.texts("not_available"), IsEmpty());
  const Seen two_down = links(linked(1, hopper, 16));
  EXPECT_EQ(two_down.number("links_missing"), 2);
  EXPECT_EQ(two_down.number("links_up"), 16);
  EXPECT_EQ(links(linked(1, card, 10)).number("links_missing"), 2) << "a card with its bridges has 12";
}

TEST(Nvlink, AParameterGoesBeforeTheModel) {
  const auto missing = [](std::size_t up, std::int64_t expected) {
    return links(linked(1, hopper, up), with(moment, "expected_links", expected)).number("links_missing");
  };
  EXPECT_EQ(missing(4, 6), 2);
  EXPECT_EQ(missing(6, 6), 0);
  EXPECT_EQ(missing(0, 0), 0);
  EXPECT_EQ(missing(0, 1), 1);
}

TEST(Nvlink, OfAModelThatIsNotKnownItsNeighboursSayHowMany) {
  const Seen beside = links(linked(3, unheard_of, 12));
  EXPECT_EQ(beside.number("links_expected"), 18);
  EXPECT_EQ(beside.number("links_missing"), 6);
  Machine others = linked(2, unheard_of, 12);
  others.gpus[1][Reading::name] = hopper;
  EXPECT_EQ(links(others).number("links_expected"), 12) << "another model says nothing of this one";
  Machine fewer = linked(2, unheard_of, 18);
  for (Link& link : fewer.gpus[1].links) link[LinkReading::is_active] = false;
  EXPECT_EQ(links(fewer).number("links_expected"), 18) << "its own count too";
}

TEST(Nvlink, AllThatAreDownMayBeMeant) {
  const auto unexplained = [](const Machine& machine) {
    const Seen seen = links(machine);
    EXPECT_EQ(seen.text("links_missing"), "not available");
    EXPECT_EQ(seen.text("links_expected"), "not available");
    EXPECT_EQ(seen.number("links_up"), 0);
    EXPECT_THAT(seen.texts("links_unexplained"), ElementsAre(HasSubstr("18 NVLinks are listed and none is up")));
  };
  unexplained(linked(1, hopper, 0));  // one of a board
  unexplained(linked(2, card, 0));    // no bridge
  Machine divided = linked(2, hopper, 0);
  divided.gpus[0][Reading::mig_enabled] = true;
  unexplained(divided);
  Machine without_fabric = linked(2, unheard_of, 0);
  without_fabric.gpus[0][Reading::fabric_state] = not_offered();
  unexplained(without_fabric);
}

TEST(Nvlink, AllThatAreDownOnABoardAreMissing) {
  EXPECT_EQ(links(linked(2, hopper, 0)).number("links_missing"), 18);
  EXPECT_EQ(links(linked(2, unheard_of, 0)).number("links_missing"), 18) << "as many as are listed";
  Machine listed = linked(2, unheard_of, 0);
  listed.gpus[0].links.resize(4);
  EXPECT_EQ(links(listed).number("links_missing"), 4);
}

/// A link's counters when the case begins, and a tenth of a second later.
Script counting(std::size_t link, const std::map<LinkReading, std::pair<std::int64_t, std::int64_t>>& counters) {
  return [=](Machine& answer, Ask ask, std::size_t n) {
    if (ask != Ask::gpu) return;
    for (const auto& [counter, values] : counters) {
      answer.gpus[0].links[link][counter] = n == 0 ? values.first : values.second;
    }
  };
}

TEST(Nvlink, NewErrorsCountByTheirRate) {
  const auto failing = [](std::int64_t before, std::int64_t after, const harness::ParameterValues& parameters = tenth) {
    return links(linked(1, hopper, 18), parameters, counting(3, {{LinkReading::crc_data_errors, {before, after}}}))
        .texts("links_with_new_errors");
  };
  EXPECT_THAT(failing(5'000'000'000, 5'000'000'010), IsEmpty()) << "100 a second, the limit, beyond 32 bits";
  EXPECT_THAT(failing(0, 11), ElementsAre("link 3: 110 errors a second, limit 100"));
  EXPECT_THAT(failing(0, 11, with(tenth, "max_errors_per_second", 110.0)), IsEmpty());
  EXPECT_THAT(failing(900, 11), IsEmpty()) << "the counter began anew";
}

TEST(Nvlink, ErrorsOfAllKindsOfALinkAddUp) {
  const Seen seen = links(linked(1, hopper, 18), tenth,
                          counting(17, {{LinkReading::replays, {1, 5}},
                                        {LinkReading::crc_flit_errors, {2, 6}},
                                        {LinkReading::crc_data_errors, {3, 7}}}));
  EXPECT_THAT(seen.texts("links_with_new_errors"), ElementsAre("link 17: 120 errors a second, limit 100"));
}

TEST(Nvlink, RecoveriesAreThoseSinceTheDriverWasLoaded) {
  const Script recovered = counting(2, {{LinkReading::recoveries, {3, 3}}});
  EXPECT_THAT(links(linked(1, hopper, 18), moment, recovered).texts("links_with_recoveries"),
              ElementsAre("link 2: 3 recoveries, limit 0"));
  EXPECT_THAT(links(linked(1, hopper, 18), with(moment, "max_recoveries", std::int64_t{3}), recovered)
                  .texts("links_with_recoveries"),
              IsEmpty());
  EXPECT_THAT(links(linked(1, hopper, 18), with(moment, "max_recoveries", std::int64_t{2}), recovered)
                  .texts("links_with_recoveries"),
              ElementsAre("link 2: 3 recoveries, limit 2"));
}

TEST(Nvlink, OfALinkThatIsDownNothingIsCounted) {
  Machine machine = linked(1, hopper, 17);
  machine.gpus[0].links[17][LinkReading::recoveries] = std::int64_t{9};
  EXPECT_THAT(links(machine).texts("links_with_recoveries"), IsEmpty());
  // One that went down, or came up, meanwhile.
  for (const std::size_t down_at : {0U, 1U}) {
    const Script script = [=](Machine& answer, Ask ask, std::size_t n) {
      answer.gpus[0].links[17][LinkReading::is_active] = ask != Ask::gpu || n != down_at;
    };
    EXPECT_THAT(links(machine, moment, script).texts("links_with_recoveries"),
                ElementsAre("link 17: 9 recoveries, limit 0"));
  }
}

TEST(Nvlink, WhatIsNotCountedIsNamed) {
  Machine machine = linked(1, hopper, 18);
  for (const LinkReading counter : {LinkReading::replays, LinkReading::crc_flit_errors, LinkReading::crc_data_errors})
    machine.gpus[0].links[4][counter] = not_offered();
  machine.gpus[0].links[5][LinkReading::recoveries] = not_offered();
  machine.gpus[0].links[6][LinkReading::replays] = not_offered();  // the others are errors too
  EXPECT_THAT(links(machine).texts("not_available"), ElementsAre("link 4: errors", "link 5: recoveries"));
  for (Link& link : machine.gpus[0].links) link[LinkReading::recoveries] = not_offered();
  EXPECT_EQ(links(machine).text("links_with_recoveries"), "not available");
  EXPECT_THAT(links(machine).texts("links_with_new_errors"), IsEmpty());
}

TEST(Nvlink, OfWhichNothingIsCountedAreHalfAnAnswer) {
  Machine machine = linked(1, hopper, 18);
  for (Link& link : machine.gpus[0].links) {
    for (const LinkReading counter :
         {LinkReading::replays, LinkReading::crc_flit_errors, LinkReading::crc_data_errors, LinkReading::recoveries}) {
      link[counter] = not_offered();
    }
  }
  EXPECT_TRUE(links(machine).is_skipped());
  EXPECT_THAT(links(machine).execution.reason, HasSubstr("18 NVLinks are up"));
  machine.gpus[0].links[0][LinkReading::is_active] = false;
  EXPECT_EQ(links(machine).number("links_missing"), 1) << "a link that is missing is said in any case";
}

TEST(Nvlink, AGpuWithoutThemIsSkippedUnlessSomeAreAskedFor) {
  Machine machine = linked(1, unheard_of, 18);
  machine.gpus[0].links.clear();
  machine.gpus[0][Reading::fabric_state] = not_offered();
  EXPECT_TRUE(links(machine).is_skipped());
  EXPECT_TRUE(links(machine, with(moment, "expected_links", std::int64_t{0})).is_skipped());
  EXPECT_EQ(links(machine, with(moment, "expected_links", std::int64_t{2})).number("links_missing"), 2);
  machine.gpus[0].links_problem = "not supported";
  EXPECT_TRUE(links(machine).is_skipped());
  EXPECT_EQ(links(machine, with(moment, "expected_links", std::int64_t{2})).number("links_missing"), 2);
  machine.gpus[0].links_problem = "Insufficient Permissions";
  EXPECT_TRUE(links(machine, with(moment, "expected_links", std::int64_t{2})).is_skipped());
}

TEST(Nvlink, AnEmptyListThatSomethingContradictsIsAnError) {
  Machine in_fabric = linked(1, unheard_of, 18);
  in_fabric.gpus[0].links.clear();
  EXPECT_THAT(links(in_fabric).execution.reason, HasSubstr("belongs to an NVLink fabric"));
  Machine beside = linked(2, unheard_of, 18);
  beside.gpus[0].links.clear();
  beside.gpus[0][Reading::fabric_state] = not_offered();
  EXPECT_THAT(links(beside).execution.reason, HasSubstr("another GPU of the same model has some"));
  beside.gpus[1][Reading::name] = hopper;
  EXPECT_TRUE(links(beside).is_skipped());
}

TEST(Nvlink, AListThatChangesMeanwhileIsAnError) {
  const Script shrinks = [](Machine& answer, Ask ask, std::size_t n) {
    if (ask == Ask::gpu && n > 0) answer.gpus[0].links.resize(17);
  };
  for (const char* name : {"health.nvlink", "health.nvlink_quality"}) {
    const Seen seen = run_case(case_named(name), linked(1, hopper, 18), shrinks, moment);
    EXPECT_EQ(seen.execution.status, harness::Execution::Status::error) << name;
    EXPECT_THAT(seen.execution.reason, HasSubstr("18 NVLinks are listed, and 17 a moment later")) << name;
  }
}

TEST(Nvlink, ACounterThatFailsMattersWhereItsLinkIsUp) {
  Machine machine = linked(1, hopper, 17);
  machine.gpus[0].links[17][LinkReading::replays] = not_answered();
  EXPECT_TRUE(links(machine).is_completed());
  machine.gpus[0].links[16][LinkReading::replays] = not_answered();
  EXPECT_EQ(links(machine).execution.status, harness::Execution::Status::error);
  EXPECT_THAT(links(machine).execution.reason, HasSubstr("link 16: "));
}

// -- quality ------------------------------------------------------------------------------------------

Seen quality(const Machine& machine, const harness::ParameterValues& parameters = moment, const Script& script = {}) {
  return run_case(case_named("health.nvlink_quality"), machine, script, parameters);
}

Machine of_speed(const std::string& model, std::int64_t first_mbps, std::int64_t other_mbps) {
  Machine machine = linked(2, model, 18);
  for (Gpu& gpu : machine.gpus) {
    for (Link& link : gpu.links) link[LinkReading::speed] = other_mbps;
  }
  machine.gpus[0].links[0][LinkReading::speed] = first_mbps;
  return machine;
}

TEST(NvlinkQuality, LessThan99PercentOfTheSpeedIsSlow) {
  const Seen fine = quality(of_speed(hopper, 26'562, 26'562));
  EXPECT_THAT(fine.texts("slow_links"), IsEmpty());
  EXPECT_EQ(fine.number("expected_mbps"), 26'562);
  EXPECT_EQ(fine.text("links_with_new_errors"), "not available") << "Hopper does not count these";
  EXPECT_EQ(fine.number("counters"), 0);
  EXPECT_THAT(quality(of_speed(unheard_of, 9'900, 10'000)).texts("slow_links"), IsEmpty());
  EXPECT_THAT(quality(of_speed(unheard_of, 9'899, 10'000)).texts("slow_links"), ElementsAre("link 0: 9899 MB/s"));
}

TEST(NvlinkQuality, TheSpeedIsTheModelsOrThatOfTheFastestOfTheModel) {
  EXPECT_EQ(quality(of_speed("NVIDIA B200", 20'000, 20'000)).number("expected_mbps"), 53'125);
  EXPECT_EQ(quality(of_speed("NVIDIA H200", 20'000, 20'000)).number("expected_mbps"), 26'562);
  EXPECT_EQ(quality(of_speed(hopper, 30'000, 20'000)).number("expected_mbps"), 30'000);
  EXPECT_EQ(quality(of_speed(unheard_of, 30'000, 20'000)).number("expected_mbps"), 30'000);
  Machine beside = of_speed(unheard_of, 20'000, 20'000);
  beside.gpus[1].links[5][LinkReading::speed] = std::int64_t{40'000};
  EXPECT_EQ(quality(beside).number("expected_mbps"), 40'000);
  EXPECT_EQ(quality(beside).texts("slow_links").size(), 18U);
  beside.gpus[1].links[5][LinkReading::is_active] = false;
  EXPECT_EQ(quality(beside).number("expected_mbps"), 20'000) << "a link that is down has no speed";
  beside.gpus[1].links[5][LinkReading::is_active] = true;
  beside.gpus[1][Reading::name] = hopper;
  EXPECT_EQ(quality(beside).number("expected_mbps"), 20'000) << "another model";
  EXPECT_EQ(quality(beside, with(moment, "expected_mbps", std::int64_t{25'000})).number("expected_mbps"), 25'000);
}

/// Links of the fifth generation.
Machine counting_links() {
  Machine machine = of_speed("NVIDIA B200", 53'125, 53'125);
  for (Link& link : machine.gpus[0].links) {
    for (const LinkReading counter : {LinkReading::received_errors, LinkReading::effective_errors,
                                      LinkReading::symbol_errors, LinkReading::recovery_events}) {
      link[counter] = std::int64_t{0};
    }
  }
  return machine;
}

TEST(NvlinkQuality, NewErrorsOfEachKindCountByTheirRate) {
  EXPECT_EQ(quality(counting_links()).number("counters"), 18 * 4);
  EXPECT_THAT(quality(counting_links()).texts("links_with_new_errors"), IsEmpty());
  const auto failing = [](std::int64_t before, std::int64_t after, double limit = 100) {
    return quality(counting_links(), with(tenth, "max_errors_per_second", limit),
                   counting(7, {{LinkReading::symbol_errors, {before, after}}}))
        .texts("links_with_new_errors");
  };
  EXPECT_THAT(failing(5'000'000'000, 5'000'000'010), IsEmpty()) << "100 a second, the limit";
  ASSERT_EQ(failing(0, 11).size(), 1U);
  EXPECT_THAT(failing(0, 11).front(), testing::MatchesRegex("link 7: symbol_errors.* 110 a second"));
  EXPECT_THAT(failing(0, 11, 110), IsEmpty());
  const Script two = counting(7, {{LinkReading::received_errors, {0, 10}}, {LinkReading::effective_errors, {0, 10}}});
  EXPECT_THAT(quality(counting_links(), tenth, two).texts("links_with_new_errors"), IsEmpty())
      << "each kind has the limit to itself";
}

TEST(NvlinkQuality, RecoveriesCountBeyondTheirLimit) {
  const auto recovered = [](std::int64_t events, std::int64_t accepted) {
    return quality(counting_links(), with(moment, "max_recoveries", accepted),
                   counting(17, {{LinkReading::recovery_events, {events, events}}}))
        .texts("links_with_recoveries");
  };
  EXPECT_THAT(recovered(0, 0), IsEmpty());
  EXPECT_THAT(recovered(1, 0), ElementsAre("link 17: 1 recoveries"));
  EXPECT_THAT(recovered(2, 2), IsEmpty());
  EXPECT_THAT(recovered(3, 2), ElementsAre("link 17: 3 recoveries"));
}

TEST(NvlinkQuality, NothingIsSaidWhereNothingIsKnown) {
  EXPECT_TRUE(quality(linked(1, hopper, 0)).is_skipped());
  EXPECT_THAT(quality(linked(1, hopper, 0)).execution.reason, HasSubstr("no NVLink of the GPU is up"));
  Machine without_speed = linked(1, unheard_of, 18);
  for (Link& link : without_speed.gpus[0].links) link[LinkReading::speed] = not_offered();
  EXPECT_TRUE(quality(without_speed).is_skipped());
  without_speed.gpus[0].links[9][LinkReading::symbol_errors] = std::int64_t{0};
  const Seen counts = quality(without_speed);
  EXPECT_EQ(counts.text("slow_links"), "not available");
  EXPECT_EQ(counts.number("counters"), 1);
  EXPECT_THAT(counts.texts("links_with_new_errors"), IsEmpty());
  EXPECT_EQ(counts.text("links_with_recoveries"), "not available");
}

TEST(NvlinkQuality, OfALinkThatIsDownNothingHasToBeRead) {
  Machine machine = linked(1, hopper, 17);
  machine.gpus[0].links[17][LinkReading::speed] = std::int64_t{1};
  EXPECT_THAT(quality(machine).texts("slow_links"), IsEmpty());
  machine.gpus[0].links[16][LinkReading::speed] = std::int64_t{1};
  EXPECT_THAT(quality(machine).texts("slow_links"), ElementsAre("link 16: 1 MB/s"));
}

}  // namespace
}  // namespace gpucheck::cases::test_of_links
