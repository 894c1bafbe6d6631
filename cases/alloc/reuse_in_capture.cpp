#include <vector>

#include "base/text/units.hpp"
#include "cases/alloc/held_stream.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/graph.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_alloc::reuse_in_capture {
namespace {

using namespace literals;
using device::Stream;
using Block = runtime::Buffer<std::uint8_t>;

constexpr std::size_t block_bytes = 64_KiB;

/// Blocks of one capture, in which two branches read what the origin wrote.
class Capture {
 public:
  Capture(runtime::Runtime& runtime, Stream origin, std::vector<Stream> branches)
      : runtime_(runtime), origin_(origin), branches_(std::move(branches)) {}

  /// A block of 1s; each branch adds to it into a block of its own. Freed when it returns.
  const std::uint8_t* fork() {
    Block shared = filled(1);
    for (std::size_t i = 0; i < branches_.size(); ++i) {
      order(runtime_.device(), origin_, branches_[i]);
      Block& sum = sums_.emplace_back(runtime_, block_bytes, branches_[i]);
      const auto amount = static_cast<std::uint8_t>(10 * (i + 1));
      tensor::ops::add(runtime_, shared.data(), sum.data(), block_bytes, amount, branches_[i]);
      shared.record_stream(branches_[i]);
    }
    return shared.data();
  }
  void join(std::size_t branch) { order(runtime_.device(), branches_[branch], origin_); }
  /// Another block of the origin, which writes it. Stays allocated.
  const std::uint8_t* next() { return blocks_.emplace_back(filled(99)).data(); }

  /// The first and the last byte of each branch's sum.
  [[nodiscard]] std::vector<std::int64_t> sums() {
    std::vector<std::int64_t> values;
    for (const Block& sum : sums_) {
      for (const std::size_t at : {std::size_t{0}, block_bytes - 1}) {
        values.push_back(read_one(runtime_, sum.data() + at, origin_));
      }
    }
    return values;
  }

 private:
  Block filled(std::uint8_t value) {
    Block block(runtime_, block_bytes, origin_);
    tensor::ops::fill(runtime_, block.data(), block_bytes, value, origin_);
    return block;
  }

  runtime::Runtime& runtime_;
  Stream origin_;
  std::vector<Stream> branches_;
  std::vector<Block> sums_;
  std::vector<Block> blocks_;
};

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const SettingsScope settings(runtime, "graph_capture_record_stream_reuse:True");
  const Stream origin = runtime.streams().next();
  const runtime::CurrentStreamGuard current(runtime, origin);
  runtime::Graph graph(runtime);
  Capture capture(runtime, origin, {runtime.streams().next(), runtime.streams().next()});
  graph.capture_begin();
  const std::uint8_t* const shared = capture.fork();
  context.observe("reused_before_a_join", capture.next() == shared);
  capture.join(0);
  context.observe("reused_after_one_join", capture.next() == shared);
  capture.join(1);
  context.observe("reused_after_both_joins", capture.next() == shared);
  graph.capture_end();
  graph.replay();
  context.observe("sums", harness::Value(capture.sums()));
  runtime.allocator().set_settings("graph_capture_record_stream_reuse:False");
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.reuse_in_capture",
      .summary =
          "With record-stream reuse, a block freed in a capture serves again once every branch that used it is "
          "joined",
      .source = "graph_capture_record_stream_reuse of PyTorch 2.11",
      .needs = {.memory_bytes = 64_MiB, .caching_allocator = true},
      .faults = {{.name = "lost_replay",
                  .summary = "launching the graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "lost_node",
                  .summary = "a branch's addition is missing from the graph",
                  .plan = fault::kernel_lost(fault::nth_call(3))},
                 {.name = "flipped_bit",
                  .summary = "one bit of a result flips on its way to the host",
                  .plan = fault::copy_flips_bit(fault::nth_call(1))},
                 {.name = "branches_not_joined",
                  .summary = "a stream does not wait for the event that it is asked to wait for",
                  .plan = fault::broken(fault::Operation::wait, fault::Effect::drop, fault::from_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::reuse_in_capture
