#include "telemetry/sampler.hpp"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace gpucheck::telemetry {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using ::testing::HasSubstr;

/// What the tests tell a driver to do. Held by the source, too, which may outlive its test.
struct Control {
  std::atomic<bool> hangs{false};
  std::atomic<bool> fails{false};
  std::atomic<int> opened{0};
  std::atomic<int> asked{0};
  std::atomic<int> temperature{40};
};

class MadeUpSource final : public Source {
 public:
  explicit MadeUpSource(std::shared_ptr<Control> control) : control_(std::move(control)) {}
  Machine read(const Question& question) override {
    ++control_->asked;
    while (control_->hangs) std::this_thread::sleep_for(milliseconds(1));
    if (control_->fails) throw EnvironmentError("no driver");
    Gpu gpu;
    gpu[Reading::uuid] = "GPU-1";
    gpu[Reading::temperature_gpu] = std::int64_t{control_->temperature};
    gpu[Reading::power_draw] = Unavailable{"not supported"};
    gpu[Reading::pcie_replays] = question.subset == Subset::gauges ? Value() : Value(std::int64_t{7});
    Machine machine;
    machine.gpus = {gpu};
    return machine;
  }

 private:
  std::shared_ptr<Control> control_;
};

const GpuId gpu_1{.uuid = "GPU-1", .pci_address = ""};

class SamplerTest : public ::testing::Test {
 protected:
  [[nodiscard]] Sampler::Open open() const {
    return [control = control_] {
      ++control->opened;
      return std::make_unique<MadeUpSource>(control);
    };
  }
  ~SamplerTest() override { control_->hangs = false; }

  /// @return whether it came true in ten seconds.
  template <typename Condition>
  static bool soon(Condition condition) {
    const auto end = Clock::now() + std::chrono::seconds(10);
    while (!condition() && Clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
    return condition();
  }
  static std::string why(Sampler& sampler) {
    try {
      static_cast<void>(sampler.read());
      return "";
    } catch (const EnvironmentError& error) {
      return error.what();
    }
  }

  std::shared_ptr<Control> control_ = std::make_shared<Control>();
  static constexpr Sampler::Pace quick{.interval = milliseconds(1), .patience = milliseconds(50)};
};

TEST_F(SamplerTest, OpensNothingBeforeItIsAsked) {
  Sampler sampler(open());
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(control_->opened, 0);
  EXPECT_EQ(number(sampler.read().gpus.at(0)[Reading::pcie_replays]), 7);
  static_cast<void>(sampler.read());
  EXPECT_EQ(control_->opened, 1);
}

TEST_F(SamplerTest, APutQuestionIsAnsweredMeanwhile) {
  Sampler sampler(open());
  const auto pending = sampler.put({.subset = Subset::counters});
  EXPECT_TRUE(soon([this] { return control_->asked == 1; })) << "nobody waits for it yet";
  EXPECT_EQ(sampler.answer(pending).gpus.size(), 1U);
}

TEST_F(SamplerTest, AnswersThatDoNotComeAreSaidInTime) {
  control_->hangs = true;
  Sampler sampler(open(), quick);
  EXPECT_EQ(why(sampler), "the driver did not answer within 50 ms");
}

TEST_F(SamplerTest, NoFurtherQuestionIsPutWhileOneIsStuck) {
  control_->hangs = true;
  Sampler sampler(open(), quick);
  static_cast<void>(why(sampler));
  std::this_thread::sleep_for(quick.patience);
  const auto start = Clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_THAT(why(sampler), HasSubstr("did not answer"));
  EXPECT_LT(Clock::now() - start, 10 * quick.patience) << "each is answered at once";
  EXPECT_EQ(control_->asked, 1);
  control_->hangs = false;
  EXPECT_TRUE(soon([&] { return why(sampler).empty(); })) << "a driver that has come back is asked again";
}

TEST_F(SamplerTest, AThreadThatNeverComesBackIsLeftBehind) {
  control_->hangs = true;
  const auto start = Clock::now();
  {
    Sampler sampler(open(), quick);
    static_cast<void>(sampler.put({}));
  }
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
}

TEST_F(SamplerTest, TakesSamplesWhileOneWaits) {
  Sampler sampler(open(), quick);
  sampler.begin({gpu_1});
  EXPECT_TRUE(soon([&] { return sampler.series().at(0).count() >= 5; }));
  control_->temperature = 60;
  EXPECT_TRUE(soon([&] { return sampler.series().at(0).range(Reading::temperature_gpu)->max == 60; }));
  sampler.end();
  const Series series = sampler.series().at(0);
  EXPECT_EQ(series.problem(), "");
  EXPECT_EQ(series.range(Reading::temperature_gpu)->min, 40);
  EXPECT_GT(series.range(Reading::temperature_gpu)->mean, 40);
  EXPECT_LT(series.range(Reading::temperature_gpu)->mean, 60);
  EXPECT_FALSE(series.range(Reading::power_draw)) << "not supported is not a number";
  EXPECT_EQ(series.samples().back()[Reading::temperature_gpu], 60);
  EXPECT_GE(series.samples().back().at_ms, series.samples().front().at_ms);
}

TEST_F(SamplerTest, EachSeriesBeginsAnewAndEnds) {
  Sampler sampler(open(), quick);
  sampler.begin({gpu_1});
  EXPECT_TRUE(soon([&] { return sampler.series().at(0).count() >= 2; }));
  control_->temperature = 50;
  sampler.begin({gpu_1});
  EXPECT_TRUE(soon([&] { return sampler.series().at(0).count() >= 2; }));
  EXPECT_EQ(sampler.series().at(0).range(Reading::temperature_gpu)->min, 50);
  sampler.end();
  static_cast<void>(sampler.read());  // what was under way has come
  const std::size_t count = sampler.series().at(0).count();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(sampler.series().at(0).count(), count);
}

TEST_F(SamplerTest, ASampleThatIsMissingHasItsReason) {
  Sampler sampler(open(), quick);
  sampler.begin({{.uuid = "GPU-2", .pci_address = ""}});
  EXPECT_TRUE(soon([&] { return !sampler.series().at(0).problem().empty(); }));
  EXPECT_EQ(sampler.series().at(0).problem(), "the driver has no such GPU");
  control_->fails = true;
  sampler.begin({gpu_1});
  EXPECT_TRUE(soon([&] { return sampler.series().at(0).problem() == "no driver"; }));
  EXPECT_EQ(sampler.series().at(0).count(), 0U);
}

TEST_F(SamplerTest, ASourceThatCannotBeOpenedIsTriedOnce) {
  int tries = 0;
  Sampler sampler([&tries]() -> std::unique_ptr<Source> {
    ++tries;
    throw NotInstalled("no library");
  });
  EXPECT_THROW(static_cast<void>(sampler.read()), NotInstalled);
  EXPECT_THROW(static_cast<void>(sampler.read()), NotInstalled);
  EXPECT_EQ(tries, 1);
}

TEST(SeriesTest, KeepsTheLastHourAndTheRangeOfAll) {
  Series series;
  Gpu gpu;
  for (std::int64_t i = 0; i < 36'010; ++i) {
    gpu[Reading::temperature_gpu] = i;
    series.add(sample_of(gpu, 100.0 * static_cast<double>(i)));
  }
  EXPECT_EQ(series.samples().size(), 36'000U);
  EXPECT_EQ(series.samples().front()[Reading::temperature_gpu], 10);
  EXPECT_EQ(series.count(), 36'010U);
  EXPECT_EQ(series.range(Reading::temperature_gpu)->min, 0);
  EXPECT_EQ(series.range(Reading::temperature_gpu)->max, 36'009);
}

}  // namespace
}  // namespace gpucheck::telemetry
