#include "harness/run/events.hpp"

#include <array>
#include <gtest/gtest.h>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace gpucheck::harness {
namespace {

/// Counts what it hears, and throws its name each time when it has one.
class Sink : public EventSink {
 public:
  explicit Sink(std::string thrown = "") : thrown_(std::move(thrown)) {}

  void on(const RunStarted&) override { note(); }
  void on(const CaseStarted&) override { note(); }
  void on(const CaseFinished&) override { note(); }
  void on(const RunFinished&) override { note(); }

  int told = 0;

 private:
  void note() {
    ++told;
    if (!thrown_.empty()) throw std::runtime_error(thrown_);
  }

  std::string thrown_;
};

template <typename Event>
class Tell : public testing::Test {};
using Events = testing::Types<RunStarted, CaseStarted, CaseFinished, RunFinished>;
TYPED_TEST_SUITE(Tell, Events);

TYPED_TEST(Tell, ReachesEverySink) {
  Sink one;
  Sink other;
  const std::array<EventSink*, 2> sinks{&one, &other};
  tell(std::span<EventSink* const>(sinks), TypeParam{});
  EXPECT_EQ(one.told, 1);
  EXPECT_EQ(other.told, 1);
}

TYPED_TEST(Tell, ReachesTheSinksBehindThoseThatThrowAndThrowsWhatTheFirstDid) {
  Sink first;
  Sink second("second");
  Sink third("third");
  Sink last;
  try {
    const std::array<EventSink*, 4> sinks{&first, &second, &third, &last};
    tell(std::span<EventSink* const>(sinks), TypeParam{});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& problem) {
    EXPECT_STREQ(problem.what(), "second");
  }
  for (const Sink* sink : {&first, &second, &third, &last}) EXPECT_EQ(sink->told, 1);
}

}  // namespace
}  // namespace gpucheck::harness
