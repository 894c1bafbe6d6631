#include "report/isolated_sink.hpp"

#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

#include "sample_run.hpp"

namespace gpucheck::report {
namespace {

/// Throws at its n-th event.
class ThrowingSink final : public harness::EventSink {
 public:
  ThrowingSink(int nth, int& told) : nth_(nth), told_(told) {}
  void on(const harness::RunStarted& /*event*/) override { count(); }
  void on(const harness::CaseStarted& /*event*/) override { count(); }
  void on(const harness::CaseFinished& /*event*/) override { count(); }
  void on(const harness::RunFinished& /*event*/) override { count(); }
  void on_heartbeat() override { count(); }

 private:
  void count() {
    if (++told_ == nth_) throw std::runtime_error("the disk is on fire");
  }
  int nth_;
  int& told_;
};

TEST(IsolatedSink, KeepsWhatIsThrownAndTellsItOnce) {
  for (const int nth : {1, 2, 3, 20}) {
    int told = 0;
    std::vector<std::string> complaints;
    IsolatedSink sink(std::make_unique<ThrowingSink>(nth, told),
                      [&](const std::string& what) { complaints.push_back(what); });
    play_sample_run(sink);
    EXPECT_TRUE(sink.failed());
    EXPECT_EQ(complaints, std::vector<std::string>{"the disk is on fire"});
    EXPECT_EQ(told, nth) << "no event reaches a sink that has thrown";
  }
}

TEST(IsolatedSink, KeepsWhatAHeartbeatThrows) {
  int told = 0;
  IsolatedSink sink(std::make_unique<ThrowingSink>(2, told), [](const std::string&) {});
  for (int beat = 0; beat < 3; ++beat) sink.on_heartbeat();
  EXPECT_TRUE(sink.failed());
  EXPECT_EQ(told, 2);
}

TEST(IsolatedSink, PassesEveryEventOn) {
  int told = 0;
  IsolatedSink sink(std::make_unique<ThrowingSink>(0, told), [](const std::string&) { FAIL(); });
  play_sample_run(sink);
  EXPECT_FALSE(sink.failed());
  EXPECT_EQ(told, 20) << "a start, nine cases of two events, an end";
}

}  // namespace
}  // namespace gpucheck::report
