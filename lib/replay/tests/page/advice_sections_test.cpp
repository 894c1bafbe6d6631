// What stands on the page of advice around its pictures.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/units.hpp"
#include "replay/page/advice_charts.hpp"
#include "replay/page/advice_page.hpp"

namespace gpucheck::replay {
namespace {

/// What the page shows of the programs, before the report.
std::string sections_of(const std::vector<AdvisedProgram>& programs) {
  const std::string page = advice_page(programs, "title", "report");
  const std::string_view open = "<main>\n";
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("<section><h2>Report</h2>") - begin);
}

/// The program of that file, without stacks. `advice` must outlive it.
AdvisedProgram program_of(const Advice& advice, const std::string& file = "file") {
  static const StackTable no_frames;
  return {.advice = advice, .stacks = no_frames, .name = file};
}

std::string verdict_section(const std::string& device, const std::string& verdict) {
  return "<section><h2>" + device + "</h2><p>" + verdict + "</p></section>\n";
}

/// A program for which nothing was drawn.
Advice undrawn_advice(AdviceOutcome outcome) {
  Advice advice;
  advice.device = 3;
  advice.search.outcome = outcome;
  return advice;
}

TEST(AdviceSections, SayWhatIsAdvisedOrWhyNothingIs) {
  for (const auto& [outcome, verdict] :
       {std::pair(AdviceOutcome::recorded_fits, "The settings it ran with suffice."),
        {AdviceOutcome::recorded_is_as_good, "The settings it ran with are as good as any."},
        {AdviceOutcome::nothing_else, "Nothing is advised: the report says why."}}) {
    const Advice advice = undrawn_advice(outcome);
    EXPECT_EQ(sections_of({program_of(advice)}), verdict_section("Device 3", verdict));
  }
  Advice beyond = undrawn_advice(AdviceOutcome::recorded_fits);
  beyond.memory_limit_bytes = 1_MiB;
  beyond.search.least_bytes = 1_MiB;
  EXPECT_EQ(sections_of({program_of(beyond)}), verdict_section("Device 3", "The settings it ran with suffice."));
  beyond.search.least_bytes = 1_MiB + 1;
  EXPECT_EQ(sections_of({program_of(beyond)}),
            verdict_section("Device 3", "No settings can help: more is allocated at once than there may be."));
}

TEST(AdviceSections, NameEachOfSeveralPrograms) {
  const Advice advice = undrawn_advice(AdviceOutcome::recorded_fits);
  EXPECT_EQ(sections_of({program_of(advice, "a<b"), program_of(advice, "c")}),
            verdict_section("a&lt;b, device 3", "The settings it ran with suffice.") +
                verdict_section("c, device 3", "The settings it ran with suffice."));
}

/// Advice with all that can be drawn.
Advice drawn_advice() {
  Advice advice = undrawn_advice(AdviceOutcome::advised);
  advice.search.advised = "a:1";
  advice.search.ranking.resize(2);
  advice.search.ranking[0].settings = "a:1";
  advice.search.ranking[0].smallest_memory_bytes = 2_MiB;
  advice.search.ranking[1].smallest_memory_bytes = 3_MiB;
  advice.step_count = 1;
  advice.curves = {{.settings = "", .points = {{1, 3_MiB, 1_MiB}}}, {.settings = "a:1", .points = {{1, 2_MiB, 1_MiB}}}};
  advice.live.bytes = 5_MiB;
  advice.live.count = 2;
  advice.live.by_stack.resize(1);
  advice.live.by_stack[0].bytes = 5_MiB;
  advice.live.by_stack[0].count = 2;
  return advice;
}

std::string drawn_sections(const Advice& advice, const std::string& limit) {
  return verdict_section("Device 3", "Set <code>a:1</code>: it then runs in 2.00 MiB.") +
         "<section><h2>Settings by the memory they need</h2>\n<p class=\"legend\"><span><i class=\"swatch "
         "state1\"></i>smallest memory in which all of it runs</span><span><i class=\"swatch peak\"></i>reserved at "
         "the "
         "peak without a limit</span><span>black line: allocated at once, which no settings can go below</span>" +
         limit + "</p>\n" + ranking_chart(advice) +
         "</section>\n<section><h2>Memory over time, without a limit</h2>\n<p class=\"legend\"><span><i class=\"swatch "
         "rest\"></i>allocated</span><span><i class=\"swatch recorded\"></i>reserved, (defaults)</span><span><i "
         "class=\"swatch state1\"></i>reserved, a:1</span>" +
         limit + "</p>\n" + usage_chart(advice) +
         "</section>\n<section><h2>Live at the peak of what is allocated, by stack</h2>\n<p class=\"legend\">5.00 MiB "
         "in "
         "2 allocations, as asked for; each area is what one stack has allocated</p>\n" +
         live_chart(advice, {}) + "</section>\n";
}

TEST(AdviceSections, HaveALegendForEachPicture) {
  Advice advice = drawn_advice();
  EXPECT_EQ(sections_of({program_of(advice)}), drawn_sections(advice, ""));
  advice.memory_limit_bytes = 6_MiB;
  EXPECT_EQ(sections_of({program_of(advice)}),
            drawn_sections(advice, "<span><i class=\"swatch limit\"></i>memory limit: 6.00 MiB</span>"));
  advice.memory_limit_bytes = 7_MiB;
  EXPECT_EQ(sections_of({program_of(advice)}),
            drawn_sections(advice, "<span>memory limit: 7.00 MiB, far above</span>"));
}

TEST(AdviceSections, CallTheDefaultsNoSettings) {
  Advice advice = drawn_advice();
  advice.search.advised.clear();
  EXPECT_TRUE(sections_of({program_of(advice)})
                  .starts_with(verdict_section("Device 3", "Set <code>no settings</code>: it then runs in 3.00 MiB.")));
}

}  // namespace
}  // namespace gpucheck::replay
