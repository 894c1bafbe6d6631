#include "runner/worker/worker_process.hpp"

#include <boost/asio/io_context.hpp>
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

}  // namespace
}  // namespace gpucheck::runner
