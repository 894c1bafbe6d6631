#include <array>

#include "cases/rng/support.hpp"
#include "cases/shared/graph_support.hpp"

namespace gpucheck::cases::in_rng::refusals {
namespace {

using runtime::CurrentStreamGuard;

void observe_outside(harness::Context& context, Generator& generator) {
  const std::array<std::uint8_t, Generator::state_bytes> state{};
  const auto error_of_state = [&](std::size_t bytes) {
    return error_text<Error>([&] { generator.set_state(std::span(state).first(bytes)); });
  };
  context.observe("offset_of_6_error", error_text<Error>([&] { generator.set_offset(6); }));
  context.observe("state_of_12_bytes_error", error_of_state(12));
  context.observe("state_of_8_bytes_error", error_of_state(8));
}

void observe_in_a_capture(harness::Context& context, Generator& generator, runtime::Graph& drawing) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream elsewhere = runtime.streams().next();
  const std::string seed = error_text<Error>([&] { generator.seed(); });
  const std::string offset = error_text<Error>([&] { static_cast<void>(generator.offset()); });
  const std::string set_offset = error_text<Error>([&] { generator.set_offset(4); });
  const std::string construction = error_text<Error>([&] { const Generator made(runtime); });
  const std::string replay = error_text<Error>([&] { drawing.replay(); });
  const std::string beyond_32_bits =
      error_text<Error>([&] { static_cast<void>(generator.take(std::uint64_t{1} << 32U)); });
  std::string beside;
  {
    const CurrentStreamGuard on_elsewhere(runtime, elsewhere);
    beside = error_text<Error>([&] { static_cast<void>(generator.take(4)); });
  }
  context.observe("new_seed_in_capture_error", seed);
  context.observe("offset_in_capture_error", offset);
  context.observe("set_offset_in_capture_error", set_offset);
  context.observe("construction_in_capture_error", construction);
  context.observe("replay_in_capture_error", replay);
  context.observe("offset_beyond_32_bits_in_capture_error", beyond_32_bits);
  context.observe("draw_beside_a_capture_error", beside);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  Generator& generator = default_generator(runtime);
  observe_outside(context, generator);
  Buffer<float> numbers = empty<float>(runtime, 4);
  runtime::Graph drawing(runtime);
  drawing.capture_begin();
  tensor::ops::uniform(generator, numbers.data(), numbers.size());
  drawing.capture_end();
  runtime::Graph graph(runtime);
  graph.capture_begin();
  tensor::ops::uniform(generator, numbers.data(), numbers.size());
  observe_in_a_capture(context, generator, drawing);
  context.observe("capture_end_error", error_text<Error>([&] { graph.capture_end(); }));
}

}  // namespace

harness::Case define() {
  return {
      .name = "rng.refusals",
      .summary =
          "What a generator refuses: states and offsets of a wrong form, and in a capture what cannot be captured",
      .source = "CUDAGeneratorImpl of PyTorch 2.11",
      .faults = {{.name = "offset_unseen",
                  .summary = "the device says once that nothing is captured, when the offset is asked for",
                  .plan =
                      fault::broken(fault::Operation::capture_info, fault::Effect::wrong_answer, fault::nth_call(15))},
                 {.name = "construction_unseen",
                  .summary = "the device says once that nothing is captured, when a generator is made",
                  .plan =
                      fault::broken(fault::Operation::capture_info, fault::Effect::wrong_answer, fault::nth_call(17))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_rng::refusals
