#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/units.hpp"
#include "cases/snapshot/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::formats {
namespace {

using namespace literals;

constexpr int rounds = 400;
/// 40 bits, the highest of five bytes among them: as a signed number of five bytes it would be negative.
constexpr std::uint64_t too_much = 800_GiB;

using Block = runtime::Buffer<std::uint8_t>;

/// 400 blocks come and go, each with the same stack; two segments are obtained from one place;
/// one request fails.
std::vector<Block> make_events(runtime::Runtime& runtime) {
  for (int i = 0; i < rounds; ++i) Block(runtime, 1000, runtime.current_stream());
  std::vector<Block> large;
  for (int i = 0; i < 2; ++i) large.emplace_back(runtime, 32_MiB, runtime.current_stream());
  static_cast<void>(error_text<runtime::OutOfMemoryError>([&] { Block(runtime, too_much, runtime.current_stream()); }));
  return large;
}

/// What another program reads in the JSON file.
void observe_json(harness::Context& context, const std::string& text, std::size_t ordinal) {
  context.observe("json_error", error_text<nlohmann::json::exception>([&] {
                    const nlohmann::json trace = nlohmann::json::parse(text).at("device_traces").at(ordinal);
                    context.observe("events_in_json", trace.size());
                    context.observe("bytes_of_the_failure_in_json",
                                    trace.at(trace.size() - 1).at("size").get<std::uint64_t>());
                  }));
}

/// How often a list of dictionaries is gone on with after a part of it: APPENDS, MARK, EMPTY_DICT.
std::size_t continued_lists(std::string_view pickle) {
  std::size_t count = 0;
  for (std::size_t at = pickle.find("e(}"); at != std::string_view::npos; at = pickle.find("e(}", at + 1)) ++count;
  return count;
}

void observe_pickle(harness::Context& context, const std::string& bytes, std::size_t ordinal) {
  context.observe("pickle_error", error_text<Error>([&] {
                    const replay::Snapshot snapshot = read_back(bytes);
                    const std::vector<replay::SnapshotEvent>& trace = snapshot.device_traces.at(ordinal);
                    context.observe("events_in_pickle", trace.size());
                    context.observe("bytes_of_the_failure_in_pickle", trace.empty() ? 0 : trace.back().size);
                  }));
  context.observe("continued_lists_in_pickle", continued_lists(bytes));
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.stacks = observe::StackKind::brief});
  std::vector<Block> large;
  observe_error_of(context, "error", [&] { large = make_events(runtime); });
  const observe::MemorySnapshot snapshot = history.snapshot();
  const auto ordinal = static_cast<std::size_t>(context.device().ordinal());
  observe_json(context, json_of(snapshot), ordinal);
  observe_pickle(context, pickle_of(snapshot), ordinal);
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.formats",
      .summary = "A snapshot of thousands of events and of numbers beyond 32 bits is the same in JSON and as a pickle",
      .source = "torch.cuda.memory._dump_snapshot() of PyTorch 2.11",
      .needs = {.memory_bytes = 128_MiB, .caching_allocator = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::formats
