#include "replay/page/advice_page.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "replay/advice/usage_curve.hpp"
#include "replay/page/treemap.hpp"
#include "replay/tests/advice/advice_traces.hpp"
#include "replay/tests/occurrences.hpp"
#include "replay/tests/simulated_devices.hpp"

namespace gpucheck::replay {
namespace {

bool overlap(const Rectangle& a, const Rectangle& b) {
  constexpr double much = 1e-6;
  return a.x + a.width > b.x + much && b.x + b.width > a.x + much && a.y + a.height > b.y + much &&
         b.y + b.height > a.y + much;
}

TEST(Treemap, FillsItsPlaceInProportion) {
  const std::vector<double> weights{6, 6, 4, 3, 2, 2, 1};
  const Rectangle whole{10, 20, 6, 4};
  const std::vector<Rectangle> places = treemap(weights, whole);
  ASSERT_EQ(places.size(), weights.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(places[i].width * places[i].height, weights[i], 1e-9) << i;
    EXPECT_GE(places[i].x, whole.x - 1e-9);
    EXPECT_LE(places[i].x + places[i].width, whole.x + whole.width + 1e-9);
    EXPECT_GE(places[i].y, whole.y - 1e-9);
    EXPECT_LE(places[i].y + places[i].height, whole.y + whole.height + 1e-9);
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(places[i], places[j])) << i << " and " << j;
  }
  // The example of the paper: the first two are one above the other, 3 wide and 2 high.
  EXPECT_NEAR(places[0].width, 3, 1e-9);
  EXPECT_NEAR(places[1].y, 22, 1e-9);
}

TEST(Treemap, OfOneAndOfNone) {
  EXPECT_TRUE(treemap({}, {0, 0, 5, 5}).empty());
  const std::vector<Rectangle> places = treemap({7}, {0, 0, 5, 3});
  ASSERT_EQ(places.size(), 1U);
  EXPECT_NEAR(places[0].width, 5, 1e-9);
  EXPECT_NEAR(places[0].height, 3, 1e-9);
}

TEST(UsageCurve, KeepsTheHighestOfEachStretch) {
  const UsageCurve curve = usage_curve(fragmenting_trace(), "", 170_MiB, simulated_devices(), 2);
  // 60 and 120 MiB, one freed; then 30, one freed, 40, 50 MiB.
  ASSERT_EQ(curve.points.size(), 2U);
  EXPECT_EQ(curve.points[0].end_step, 3U);
  EXPECT_EQ(curve.points[0].allocated_bytes, 120_MiB);
  EXPECT_EQ(curve.points[0].reserved_bytes, 120_MiB);
  EXPECT_EQ(curve.points[1].end_step, 7U);
  EXPECT_EQ(curve.points[1].allocated_bytes, 120_MiB);
  EXPECT_EQ(curve.points[1].reserved_bytes, 170_MiB);
  EXPECT_EQ(usage_curve(fragmenting_trace(), "", 170_MiB, simulated_devices()).points.size(), 7U);
}

/// Advice for a program with two stacks, whose names are not to be trusted.
struct Example {
  Example() {
    snapshot.device_traces.resize(1);
    std::uint64_t address = 0;
    for (const std::uint64_t bytes : {40_MiB, 20_MiB, 20_MiB}) {
      SnapshotEvent event;
      event.address = ++address;
      event.size = bytes;
      event.action = SnapshotAction::alloc;
      event.stack = bytes == 40_MiB ? 1 : 2;
      snapshot.device_traces[0].push_back(event);
    }
    snapshot.stacks.frames = {{"<script>alert(1)</script>", "model.py", 3}, {"backward", "train.py", 9}};
    snapshot.stacks.stacks = {{}, {0, 1}, {1}};
  }
  [[nodiscard]] std::string page(std::optional<std::uint64_t> limit = std::nullopt) {
    AdviceRequest request;
    request.memory_limit_bytes = limit;
    request.devices = simulated_devices();
    request.wants_curves = true;
    const Advice advice = advise(snapshot, 0, request);
    const AdvisedProgram program{advice, snapshot.stacks, "<i>name</i>"};
    return advice_page({&program, 1}, "<b>file</b>", "5 < 6\nsecond line");
  }
  Snapshot snapshot;
};

TEST(AdvicePage, HasAMarkForEachThing) {
  const std::string page = Example().page(60_MiB);
  EXPECT_EQ(occurrences(page, "class=\"smallest\""), 2U) << "as recorded, and with expandable segments";
  EXPECT_EQ(occurrences(page, "class=\"group\""), 2U);
  EXPECT_EQ(occurrences(page, "path class=\"reserved"), 1U) << "nothing better is advised";
  EXPECT_EQ(occurrences(page, "path class=\"allocated\""), 1U);
  EXPECT_EQ(occurrences(page, "line class=\"limit\""), 3U) << "beside both bars, and over time";
  EXPECT_EQ(occurrences(Example().page(), "line class=\"limit\""), 0U);
  EXPECT_NE(page.find("80.00 MiB in 3 allocations"), std::string::npos);
}

TEST(AdvicePage, ALimitFarAboveDoesNotFlattenThePicture) {
  // 80 MiB are reserved, in segments of 40 and two of 20.
  EXPECT_EQ(occurrences(Example().page(160_MiB), "line class=\"limit\""), 3U);
  const std::string page = Example().page(162_MiB);
  EXPECT_EQ(occurrences(page, "line class=\"limit\""), 0U);
  EXPECT_EQ(occurrences(page, "memory limit: 162.00 MiB, far above"), 2U);
  const auto bars = [](const std::string& text) {
    const std::size_t start = text.find("<svg");
    return text.substr(start, text.find("</svg>") - start);
  };
  EXPECT_EQ(bars(page), bars(Example().page())) << "drawn as without one";
}

TEST(AdvicePage, NamesTheFramesOfAGroupALineEach) {
  Example example;
  example.snapshot.stacks.frames.push_back({"linear", "/venv/lib/python3.12/site-packages/torch/nn/functional.py", 7});
  example.snapshot.stacks.stacks[1] = {2, 1};
  const std::string page = example.page();
  EXPECT_NE(page.find(">linear (functional.py:7),</text>"), std::string::npos);
  EXPECT_NE(page.find(">in backward (train.py:9)</text>"), std::string::npos);
}

TEST(AdvicePage, LoadsAndRunsNothingAndShowsTextAsText) {
  const std::string page = Example().page();
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(page.find("5 &lt; 6\nsecond line"), std::string::npos);
  EXPECT_EQ(page.find("http"), page.find("http-equiv")) << "no address but the policy's own attribute";
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

}  // namespace
}  // namespace gpucheck::replay
