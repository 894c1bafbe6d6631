#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/context.hpp"
#include "harness/case/needs.hpp"
#include "runner/tests/misbehaving/case_makers.hpp"
#include "runner/tests/misbehaving/misbehaving_deeds.hpp"

namespace gpucheck::runner::testing {
namespace {

using harness::Case;
using harness::Context;
using std::chrono::milliseconds;

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void observe_answer(Context& context) { context.observe("answer", 42); }

/// Its process takes its time to end, as one that gives a GPU's memory back does.
void leave_slowly(Context& context) {
  leave_mark("leaving");
  std::atexit([] {
    std::this_thread::sleep_for(milliseconds(400));
    ::unlink(mark_path("leaving").c_str());
  });
  context.observe("answer", 42);
}

/// 42 when nobody is leaving any more.
void observe_solitude(Context& context) {
  context.observe("answer", ::access(mark_path("leaving").c_str(), F_OK) == 0 ? 1 : 42);
}

void observe_process(Context& context) {
  context.observe("process", static_cast<int>(::getpid()));
  context.observe("seed", std::to_string(context.seed()));
  context.observe("size", context.parameter<std::int64_t>("size"));
}

void take_a_while(Context& context) {
  context.observe("start_us", now_us());
  std::this_thread::sleep_for(milliseconds(context.parameter<std::int64_t>("sleep_ms")));
  context.observe("end_us", now_us());
}

/// Passes only when the other one runs at the same time.
void meet(Context& context, const std::string& own, const std::string& other) {
  leave_mark(own);
  while (!std::ifstream(mark_path(other)).good()) std::this_thread::sleep_for(milliseconds(5));
  context.observe("answer", 42);
}

void pass_the_second_time(Context& context) {
  const bool seen = std::ifstream(mark_path("second_time")).good();
  leave_mark("second_time");
  if (!seen) throw std::runtime_error("not yet");
  context.observe("answer", 42);
}

/// GB/s, too few the first time.
void be_slow_the_first_time(Context& context) {
  const bool seen = std::ifstream(mark_path("slow_at_first")).good();
  leave_mark("slow_at_first");
  context.observe("gbps", seen ? 10 : 1);
}

void be_slow_and_wrong(Context& context) {
  context.observe("gbps", 1);
  context.observe("answer", 41);
}

void be_slow_and_then_break(Context& context) {
  const bool seen = std::ifstream(mark_path("slow_then_broken")).good();
  leave_mark("slow_then_broken");
  if (seen) throw Error("what a pity");
  context.observe("gbps", 1);
}

void pass_until_told(Context& context) {
  if (std::ifstream(mark_path("enough")).good()) throw std::runtime_error("enough");
  context.observe("answer", 42);
}

void skip_the_second_time(Context& context) {
  const bool seen = std::ifstream(mark_path("skip_second")).good();
  leave_mark("skip_second");
  if (seen) throw harness::Skip("gone");
  context.observe("answer", 41);
}

void run_children(Context& context) {
  const auto results = context.run_children({"exits", "aborts", "sleeps", "chats"}, milliseconds(3000));
  context.observe("exit_code", results[0].exit_code.value_or(-1));
  context.observe("exit_output", results[0].output);
  context.observe("abort_signal", results[1].signal.value_or(-1));
  context.observe("timed_out", std::vector<bool>{results[0].timed_out, results[2].timed_out});
  context.observe("chat_output_bytes", static_cast<std::int64_t>(results[3].output.size()));
  context.observe("chat_error_end", results[3].error_output.substr(results[3].error_output.size() - 4));
}

bool can_allocate(Context& context) {
  const auto memory = context.device().allocate(1_MiB);
  return memory.has_value() && context.device().free(*memory) == device::Status::success;
}

void allocate_here_and_in_a_child(Context& context) {
  context.observe("here", can_allocate(context));
  context.observe("in_child", context.run_child("allocates", milliseconds(5000)).exit_code == 0);
}

int child_exits(Context& context) {
  std::printf("size %d\n", static_cast<int>(context.parameter<std::int64_t>("size")));
  return 3;
}
int child_aborts(Context&) {
  die_by(SIGABRT);
  return 0;
}
int child_sleeps(Context&) {
  leave_mark("sleeping_child");
  wait_for_ever();
}
int child_chats(Context&) {
  const std::string block(1_MiB, 'x');
  std::fwrite(block.data(), 1, block.size(), stdout);
  std::fwrite(block.data(), 1, block.size(), stderr);
  std::fputs("end\n", stderr);
  return 0;
}

void observe_device(Context& context) {
  leave_mark("on_device_" + std::to_string(context.device().ordinal()));
  context.observe("ordinal", context.device().ordinal());
  context.observe("allocated", can_allocate(context));
}

void observe_pair(Context& context) {
  context.observe("ordinals", std::vector<std::int64_t>{context.device(0).ordinal(), context.device(1).ordinal()});
  context.observe("allocated", can_allocate(context));
}

void leak_on_both(Context& context) {
  for (std::size_t i = 0; i < context.device_count(); ++i) {
    context.observe("allocated_" + std::to_string(i), context.device(i).allocate(1_MiB).has_value());
  }
}

void leak_on_the_peer(Context& context) { context.observe("allocated", context.device(1).allocate(1_MiB).has_value()); }

void ask_for_a_peer(Context& context) { context.observe("ordinal", context.device(1).ordinal()); }

void leak_memory(Context& context) { context.observe("allocated", context.device().allocate(1_MiB).has_value()); }

Case slow(std::string name, bool exclusive = false) {
  return with(make(std::move(name), take_a_while), [exclusive](Case& made) {
    made.parameters = {integer_parameter("sleep_ms", 200)};
    made.needs.exclusive = exclusive;
  });
}

Case with_process_parameters(Case made) {
  made.parameters = {integer_parameter("size", 7)};
  return made;
}

/// With a deadline that a test can wait for.
auto on_devices(int count) {
  return [count](Case& made) {
    made.needs.devices = count;
    made.deadline = milliseconds(3000);
  };
}

}  // namespace

std::vector<Case> behaving_cases() {
  const auto own_process = [](Case& made) { made.needs.own_process = true; };
  const auto only_reads = [](Case& made) {
    made.needs.devices = 1;
    made.needs.libraries = {std::string(harness::management_library)};
  };
  return {
      make("plain.pass", observe_answer),
      with(make("plain.own_process_pass", observe_answer), own_process),
      with_process_parameters(make("plain.process", observe_process)),
      with_process_parameters(with(make("plain.own_process", observe_process), own_process)),
      make("plain.fail", [](Context& context) { context.observe("answer", 41); }),
      with(make("readings.pass", observe_answer), only_reads),
      with(make("readings.opens", [](Context& context) { context.observe("answer", context.device().ordinal()); }),
           only_reads),
      make("plain.no_golden", observe_answer),
      make("plain.skip", [](Context&) { throw harness::Skip("needs a quantum device"); }),
      make("plain.throw", [](Context&) { throw std::runtime_error("what a pity"); }),
      make("plain.throw_int", [](Context&) { throw 7; }),
      make("plain.until_told", pass_until_told),
      make("flaky.second_time", pass_the_second_time),
      make("flaky.skip_second", skip_the_second_time),
      make("speed.slow_at_first", be_slow_the_first_time),
      with(make("speed.slow", [](Context& context) { context.observe("gbps", 1); }),
           [](Case& made) {
             made.faults = {{.name = "no_record",
                             .summary = "events are not recorded, of which there are none",
                             .plan = fault::broken(fault::Operation::record, fault::Effect::drop, fault::every_call)}};
           }),
      make("speed.slow_and_wrong", be_slow_and_wrong),
      make("speed.slow_then_broken", be_slow_and_then_break),
      make("meet.a", [](Context& context) { meet(context, "a", "b"); }),
      make("meet.b", [](Context& context) { meet(context, "b", "a"); }),
      slow("slow.a"),
      slow("slow.b"),
      slow("slow.exclusive_a", true),
      slow("slow.exclusive_b", true),
      with(with_process_parameters(make("children.all", run_children)),
           [](Case& made) {
             made.children = {
                 {"exits", child_exits}, {"aborts", child_aborts}, {"sleeps", child_sleeps}, {"chats", child_chats}};
           }),
      with(make("children.for_ever",
                [](Context& context) { static_cast<void>(context.run_child("sleeps", std::chrono::hours(1))); }),
           [](Case& made) {
             made.children = {{"sleeps", child_sleeps}};
           }),
      with(make("fault.allocation", allocate_here_and_in_a_child),
           [](Case& made) {
             made.needs.devices = 1;
             made.children = {{"allocates", [](Context& context) { return can_allocate(context) ? 0 : 1; }}};
             made.faults = {{.name = "no_memory",
                             .summary = "every allocation fails",
                             .plan = fault::allocation_fails(fault::every_call)}};
           }),
      with(make("device.each", observe_device), on_devices(1)),
      with(make("device.each_own_process", observe_device),
           [](Case& made) {
             made.needs.devices = 1;
             made.needs.own_process = true;
           }),
      with(make("device.pair", observe_pair), on_devices(2)),
      with(make("device.crowd", observe_pair), on_devices(9)),
      with(make("device.leaks_on_both", leak_on_both), on_devices(2)),
      with(make("device.leaks_on_peer", leak_on_the_peer), on_devices(2)),
      with(make("device.greedy", ask_for_a_peer), on_devices(1)),
      with(make("device.large", observe_device),
           [](Case& made) {
             made.needs.devices = 1;
             made.needs.memory_bytes = 1024_GiB;
           }),
      with(slow("device.exclusive", true), on_devices(1)),
      with(make("leave.slowly", leave_slowly), own_process),
      with(make("leave.alone", observe_solitude), [](Case& made) { made.needs.exclusive = true; }),
      with(make("leak.memory", leak_memory), [](Case& made) { made.needs.devices = 1; }),
  };
}

}  // namespace gpucheck::runner::testing
