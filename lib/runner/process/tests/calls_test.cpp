#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "runner/process/child_process.hpp"
#include "runner/process/isolated_call.hpp"
#include "runner/process/output.hpp"
#include "runner/process/process_table.hpp"
#include "runner/process/separate_calls.hpp"
#include "runner/worker/worker_pool.hpp"

/// Calls in processes of their own, programs, and the pool of workers.
namespace gpucheck::runner {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Send = SeparateCalls::Send;

TEST(SeparateCalls, TellTheLastThatEachHasSent) {
  SeparateCalls calls;
  const std::size_t first = calls.begin([](const Send& send) {
    send("one");
    send(std::string("t\0wo", 4));
  });
  const std::size_t silent = calls.begin([](const Send&) {});
  const std::size_t long_text = calls.begin([](const Send& send) { send(std::string(300'000, 'x') + "end"); });
  EXPECT_TRUE(calls.wait({first, silent, long_text}, Clock::now() + seconds(30)));
  EXPECT_EQ(calls.answer(first).text, std::string("t\0wo", 4));
  EXPECT_EQ(calls.answer(first).problem, "");
  EXPECT_TRUE(calls.answer(first).is_over);
  EXPECT_EQ(calls.answer(silent).text, "");
  EXPECT_TRUE(calls.answer(silent).is_over);
  EXPECT_EQ(calls.answer(long_text).text.size(), 300'003U);
  EXPECT_TRUE(calls.answer(long_text).text.ends_with("xend"));
}

TEST(SeparateCalls, SayHowACallEndedThatDidNotReturn) {
  SeparateCalls calls;
  const std::size_t throws = calls.begin([](const Send& send) {
    send("so far");
    throw std::runtime_error("no further");
  });
  const std::size_t leaves = calls.begin([](const Send&) { ::_exit(7); });
  const std::size_t dies = calls.begin([](const Send&) { ::raise(SIGKILL); });
  EXPECT_TRUE(calls.wait({throws, leaves, dies}, Clock::now() + seconds(30)));
  EXPECT_EQ(calls.answer(throws).text, "so far");
  EXPECT_EQ(calls.answer(throws).problem, "no further");
  EXPECT_EQ(calls.answer(leaves).problem, "the process exited with code 7 before the case had finished");
  EXPECT_EQ(calls.answer(dies).problem, "killed by signal 9 (SIGKILL)");
}

std::set<pid_t> own_children() {
  std::set<pid_t> children;
  for (const ProcessEntry& one : processes()) {
    if (one.parent == ::getpid()) children.insert(one.id);
  }
  return children;
}

TEST(SeparateCalls, OneThatHangsCostsItsOwnAnswerAlone) {
  const std::set<pid_t> before = own_children();
  const auto start = Clock::now();
  {
    SeparateCalls calls;
    const std::size_t hangs = calls.begin([](const Send& send) {
      send("so far");
      std::this_thread::sleep_for(std::chrono::hours(1));
    });
    const std::size_t other = calls.begin([](const Send& send) { send("done"); });
    EXPECT_TRUE(calls.wait({other}, Clock::now() + seconds(30)));
    EXPECT_FALSE(calls.wait({hangs, other}, Clock::now() + milliseconds(100)));
    EXPECT_EQ(calls.answer(other).text, "done");
    EXPECT_EQ(calls.answer(hangs).text, "so far");
    EXPECT_EQ(calls.answer(hangs).problem, "");
    EXPECT_FALSE(calls.answer(hangs).is_over);
  }
  EXPECT_LT(Clock::now() - start, seconds(20));
  EXPECT_TRUE(std::ranges::includes(before, own_children())) << "all are killed at the end";
}

TEST(IsolatedCall, GivesBackWhatIsReturned) {
  for (const int number : {0, 7, -3, 123456789}) {
    const IsolatedCall call = call_isolated([number] { return number; }, seconds(30));
    EXPECT_EQ(call.returned, number);
    EXPECT_FALSE(call.timed_out);
    EXPECT_FALSE(call.process.exit_code);
    EXPECT_FALSE(call.process.signal);
  }
}

TEST(IsolatedCall, ThrowsWhatIsThrown) {
  EXPECT_THROW(call_isolated([]() -> int { throw UsageError("wrong"); }, seconds(30)), UsageError);
  try {
    call_isolated([]() -> int { throw std::runtime_error("broken " + std::string(10'000, 'x')); }, seconds(30));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(error.what(), "broken " + std::string(10'000, 'x'));
  }
}

TEST(IsolatedCall, SaysHowTheProcessEnded) {
  const IsolatedCall left = call_isolated([]() -> int { ::_exit(9); }, seconds(30));
  EXPECT_FALSE(left.returned);
  EXPECT_FALSE(left.timed_out);
  EXPECT_EQ(left.process.exit_code, 9);
  const IsolatedCall died = call_isolated([]() -> int { return ::raise(SIGKILL); }, seconds(30));
  EXPECT_FALSE(died.returned);
  EXPECT_EQ(died.process.signal, SIGKILL);
  const IsolatedCall hung = call_isolated(
      []() -> int {
        std::this_thread::sleep_for(std::chrono::hours(1));
        return 0;
      },
      milliseconds(100));
  EXPECT_FALSE(hung.returned);
  EXPECT_TRUE(hung.timed_out);
}

// -- programs ------------------------------------------------------------------------------------

struct Ended {
  ProcessEnd end;
  std::string output;
  std::string error_output;
};

Ended run_shell(const std::string& script) {
  boost::asio::io_context context;
  std::optional<ProcessEnd> end;
  ChildProcess child(context, {.program = "/bin/sh", .arguments = {"-c", script}},
                     [&end](const ProcessEnd& how) { end = how; });
  context.run();
  return {end.value_or(ProcessEnd{}), child.take_output(), child.take_error_output()};
}

TEST(ChildProcess, TellsItsEndAndBothOfItsOutputs) {
  const Ended left = run_shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(left.end.exit_code, 3);
  EXPECT_FALSE(left.end.signal);
  EXPECT_EQ(left.output, "out\n");
  EXPECT_EQ(left.error_output, "err\n");
  const Ended killed = run_shell("kill -TERM $$");
  EXPECT_EQ(killed.end.signal, SIGTERM);
  EXPECT_FALSE(killed.end.exit_code);
}

TEST(ChildProcess, HasNothingToReadAndNoOtherDescriptor) {
  EXPECT_EQ(run_shell("cat; ls /proc/self/fd | wc -l").output, "4\n") << "three streams and the folder that ls reads";
}

TEST(ChildProcess, ThatCannotBeStartedIsSaid) {
  boost::asio::io_context context;
  try {
    ChildProcess child(context, {.program = "/nonexistent/program", .arguments = {"first", "second"}},
                       [](const ProcessEnd&) {});
    ADD_FAILURE() << "it was started";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(), "cannot start the process \"/nonexistent/program first\": No such file or directory");
  }
}

TEST(Tail, KeepsExactlyAsMuchAsItMay) {
  Tail tail;
  tail.append("a" + std::string(Tail::limit - 1, 'b'));
  EXPECT_EQ(tail.take(), "a" + std::string(Tail::limit - 1, 'b'));
  tail.append("a" + std::string(Tail::limit, 'b'));
  EXPECT_EQ(tail.take(), std::string(Tail::limit, 'b'));
  tail.append("a");
  tail.append(std::string(Tail::limit - 1, 'b'));
  EXPECT_EQ(tail.take().front(), 'a');
  tail.append("a");
  tail.append(std::string(Tail::limit, 'b'));
  EXPECT_EQ(tail.take(), std::string(Tail::limit, 'b'));
}

// -- the pool --------------------------------------------------------------------------------------

class WorkerPoolTest : public ::testing::Test {
 protected:
  using Devices = std::vector<int>;

  void run_until_gone(const PooledWorker& worker) {
    const auto deadline = Clock::now() + seconds(30);
    while (!worker.process.gone() && Clock::now() < deadline) context_.run_one_for(milliseconds(50));
    context_.poll();
  }

  boost::asio::io_context context_;
  int gone_ = 0;
  WorkerPool pool_{context_, GPUCHECK_MISBEHAVING, [this] { ++gone_; }};
};

TEST_F(WorkerPoolTest, GivesAWorkerThatServesJustTheseDevices) {
  EXPECT_TRUE(pool_.is_empty());
  EXPECT_EQ(pool_.idle_on({0}), nullptr);
  PooledWorker& first = pool_.start({0});
  PooledWorker& pair = pool_.start({0, 1});
  PooledWorker& second = pool_.start({1});
  PooledWorker& again = pool_.start({1});
  EXPECT_FALSE(pool_.is_empty());
  EXPECT_EQ(pool_.idle_on({0}), &first);
  EXPECT_EQ(pool_.idle_on({0, 1}), &pair);
  EXPECT_EQ(pool_.idle_on({1, 0}), nullptr);
  EXPECT_EQ(pool_.idle_on({2}), nullptr);
  EXPECT_EQ(pool_.idle_on({1}), &second) << "the first of two that are alike";
  again.prepared = true;
  EXPECT_EQ(pool_.idle_on({1}), &again) << "one that is prepared goes before";
  pool_.kill_all();
  EXPECT_EQ(pool_.idle_on({1}), nullptr);
  for (const PooledWorker* worker : {&first, &pair, &second, &again}) run_until_gone(*worker);
  EXPECT_TRUE(pool_.is_empty());
  EXPECT_EQ(gone_, 4);
}

TEST_F(WorkerPoolTest, MakesRoomOnTheDevicesThatAreNeeded) {
  PooledWorker& first = pool_.start({0});
  PooledWorker& kept = pool_.start({1});
  PooledWorker& pair = pool_.start({1, 2});
  EXPECT_TRUE(pool_.make_room_on({3}, nullptr)) << "nobody is there";
  EXPECT_FALSE(pool_.make_room_on({1}, &kept)) << "the pair has a context on it";
  EXPECT_TRUE(first.process.idle());
  EXPECT_TRUE(kept.process.idle());
  EXPECT_FALSE(pair.process.idle());
  run_until_gone(pair);
  EXPECT_TRUE(pool_.make_room_on({1}, &kept));
  EXPECT_FALSE(pool_.make_room_on({1, 0}, nullptr));
  run_until_gone(first);
  run_until_gone(kept);
  EXPECT_TRUE(pool_.make_room_on({1, 0}, nullptr));
  EXPECT_TRUE(pool_.is_empty());
}

TEST_F(WorkerPoolTest, SendsAwayThoseWhoseDevicesNobodyWants) {
  PooledWorker& first = pool_.start({0});
  PooledWorker& pair = pool_.start({1, 2});
  PooledWorker& third = pool_.start({3});
  pool_.retire_idle([](int device) { return device == 0 || device == 2; });
  EXPECT_TRUE(first.process.idle());
  EXPECT_TRUE(pair.process.idle()) << "one of its devices is wanted";
  EXPECT_FALSE(third.process.idle());
  pool_.retire_idle([](int) { return false; });
  for (const PooledWorker* worker : {&first, &pair, &third}) run_until_gone(*worker);
  EXPECT_TRUE(pool_.is_empty());
}

}  // namespace
}  // namespace gpucheck::runner
