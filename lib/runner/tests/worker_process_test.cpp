#include "runner/worker/worker_process.hpp"

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <gtest/gtest.h>
#include <optional>
#include <utility>

#include "test_run.hpp"

namespace gpucheck::runner {
namespace {

/// A worker, and requests to it, one after the other.
class Asked {
 public:
  RequestEnd run(const std::string& case_name) {
    std::optional<RequestEnd> end;
    harness::RunSettings settings;
    settings.device = "sim";
    worker_.request(RunRequest{.sequence = ++sequence_, .case_name = case_name, .settings = settings},
                    std::chrono::seconds(60), [&](RequestEnd made) { end = std::move(made); });
    while (!end) context_.run_one();
    return *std::move(end);
  }

 private:
  boost::asio::io_context context_;
  WorkerProcess worker_{context_, GPUCHECK_MISBEHAVING, [] {}};
  std::uint64_t sequence_ = 0;
};

TEST(WorkerProcess, WhatIsPrintedBetweenTwoCasesIsOfNeither) {
  const testing::TestFolder folder;
  Asked worker;
  EXPECT_EQ(worker.run("output.late").output_tail, "");
  ASSERT_TRUE(folder.wait_for_mark("printed_late"));
  const RequestEnd next = worker.run("plain.pass");
  EXPECT_EQ(next.kind, RequestEnd::Kind::replied);
  EXPECT_EQ(next.output_tail, "");
  EXPECT_EQ(next.error_tail, "");
}

TEST(WorkerProcess, OverheadOfManyCases) {
#ifdef GPUCHECK_TEST_SANITIZED  // whose time says nothing
  constexpr int few = 10;
#else
  constexpr int few = 100;
#endif
  constexpr int many = 10 * few;
  testing::TestRun run;
  run.options.jobs = 1;
  run.plan_options.repeat = many;
  EXPECT_EQ(run.run({"plain.pass"}).counts.pass, many);
  std::printf("%d trivial cases, warm workers: %.3f ms each\n", many, run.seconds * 1000 / many);
  run.options.isolation = Isolation::process;
  run.plan_options.repeat = few;
  EXPECT_EQ(run.run({"plain.pass"}).counts.pass, few);
  std::printf("%d trivial cases, a process each: %.3f ms each\n", few, run.seconds * 1000 / few);
}

}  // namespace
}  // namespace gpucheck::runner
