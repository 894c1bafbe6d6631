#include "tests/support/fixture_cases.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <string>
#include <thread>

#include "base/digest.hpp"
#include "harness/case/context.hpp"

namespace gpucheck::application::fixture_cases {

namespace {

using harness::Case;
using harness::Context;
using harness::Fault;
using harness::Parameter;

void observe_parameters(Context& context) {
  context.observe("count", context.parameter<std::int64_t>("count"));
  context.observe("careful", context.parameter<bool>("careful"));
  context.observe("seed", context.parameter<std::int64_t>("seed"));
}

/// Sees every failure of an allocation, and whether what was copied arrives.
void allocate_and_observe(Context& context) {
  const device::Result<void*> memory = context.device().allocate(1024);
  context.observe("allocated", memory.has_value());
  if (memory.has_value()) device::check(context.device().free(*memory), "free");
}

/// Makes the call that its faults break, but looks at nothing.
void allocate_blindly(Context& context) {
  const device::Result<void*> memory = context.device().allocate(1024);
  if (memory.has_value()) device::check(context.device().free(*memory), "free");
  context.observe("allocated", true);
}

/// Takes a failure for an absent device.
void allocate_or_skip(Context& context) {
  const device::Result<void*> memory = context.device().allocate(1024);
  if (!memory.has_value()) throw harness::Skip("no memory today");
  device::check(context.device().free(*memory), "free");
  context.observe("allocated", true);
}

/// Throws where it could look: the fault is noticed, but shows nothing of the keys.
void allocate_or_throw(Context& context) {
  void* const memory = context.device().allocate(1024).value();
  device::check(context.device().free(memory), "free");
  context.observe("answer", 42);
  context.observe("question", "none");
  context.observe("hint", "any");
}

/// Leaves it to the rules to notice that the memory is still there.
void free_blindly(Context& context) {
  void* const memory = context.device().allocate(1024).value();
  static_cast<void>(context.device().free(memory));
  context.observe("answer", 42);
}

void observe_wrongly(Context& context) { context.observe("answer", 41); }
void observe_nothing_known(Context& context) { context.observe("answer", 42); }
void measure(Context& context) { context.observe("speed_gbps", context.parameter<double>("speed")); }
/// Passes on the first device, and skips on all others.
void run_on_the_first(Context& context) {
  if (context.device().ordinal() != 0) throw harness::Skip("not the first device");
  context.observe("answer", 42);
}
void skip(Context& /*context*/) { throw harness::Skip("the moon is not full"); }
void crash(Context& /*context*/) { std::raise(SIGKILL); }
void sleep_long(Context& /*context*/) { std::this_thread::sleep_for(std::chrono::minutes(5)); }

Fault fault(const char* name, fault::Operation operation, fault::Effect effect) {
  return {name,
          std::string("breaks ") + name,
          {{{.operation = operation, .effect = effect, .times = 0, .status = device::Status::out_of_memory}}}};
}

Fault allocation_fails() { return fault("allocation_fails", fault::Operation::allocate, fault::Effect::fail); }
Fault allocation_hangs() { return fault("allocation_hangs", fault::Operation::allocate, fault::Effect::hang); }
Fault allocation_kills() { return fault("allocation_kills", fault::Operation::allocate, fault::Effect::kill_process); }

Case plain(const char* name, const char* summary, void (*run)(Context&)) {
  return {.name = name, .summary = summary, .source = "fixture", .run = run};
}

}  // namespace

std::vector<Case> all() {
  Case parameters = plain("demo.parameters", "Observes its parameters", observe_parameters);
  parameters.parameters = {
      {.name = "count", .summary = "How many", .default_value = std::int64_t{10}, .minimum = 1, .maximum = 100},
      {.name = "careful", .summary = "Take care", .default_value = false},
      {.name = "seed", .summary = "The case's own", .default_value = std::int64_t{3}}};
  Case watchful = plain("proof.watchful", "Notices all its faults", allocate_and_observe);
  watchful.source = "test_cuda.py::TestCuda::test_watchful";
  watchful.faults = {allocation_fails(), allocation_hangs(), allocation_kills()};
  Case blind = plain("blind.eyes", "Notices nothing", allocate_blindly);
  blind.faults = {allocation_fails()};
  Case skipper = plain("blind.skipper", "Skips instead of failing", allocate_or_skip);
  skipper.faults = {allocation_fails()};
  Case leak = plain("unwatched.leak", "Leaves its fault to the rules", free_blindly);
  leak.faults = {fault("free_fails", fault::Operation::free, fault::Effect::fail)};
  Case thrower = plain("unwatched.throw", "Throws instead of observing", allocate_or_throw);
  thrower.faults = {allocation_fails()};
  Case exclusive = plain("proof.exclusive", "Wants the device to itself", allocate_and_observe);
  exclusive.needs.exclusive = true;
  exclusive.faults = {allocation_fails()};
  Case crowd = plain("skipped.crowd", "Needs more devices than there are", allocate_and_observe);
  crowd.needs.devices = 1000;
  crowd.faults = {allocation_fails()};
  Case needy = plain("needs.everything", "Needs everything that a case can need", allocate_and_observe);
  needy.needs = {.devices = 2,
                 .memory_bytes = 3 << 20,
                 .memory_fraction = 0.25,
                 .libraries = {"libfirst.so.1", "libsecond.so.2"},
                 .exclusive = true,
                 .own_process = true,
                 .caching_allocator = true,
                 .allocator_library = true,
                 .default_stream = true,
                 .simulated_device = true,
                 .several_processes = true};
  Case measured = plain("measured.speed", "Measures what it is asked to", measure);
  measured.parameters = {{.name = "speed", .summary = "What it measures", .default_value = 3000.0, .unit = "GB/s"}};
  return {parameters,
          measured,
          needy,
          watchful,
          blind,
          skipper,
          leak,
          thrower,
          exclusive,
          crowd,
          plain("skipped.moon", "Skips on its way", skip),
          plain("demo.wrong", "Observes something else than it should", observe_wrongly),
          plain("demo.no_golden", "Has no golden file", observe_nothing_known),
          plain("picky.device", "Runs on the first device alone", run_on_the_first),
          plain("stress.nothing", "Puts no load on anything", skip),
          plain("bad.crashes", "Kills itself", crash),
          plain("bad.hangs", "Sleeps for minutes", sleep_long)};
}

std::span<const golden::GoldenSet::File> goldens() {
  static constexpr std::array<golden::GoldenSet::File, 18> files{{
      {"limits.json", R"({"schema": "gpucheck.limits/1", "classes": [{"name": "any", "limits": {
         "measured.speed.speed_gbps": {"of": "memory_bandwidth_gbps", "fail_below": 0.5, "warn_below": 0.75,
                                       "source": "made up"}}}]})"},
      {"measured/speed.json", R"({"case": "measured.speed", "expect": {
         "speed_gbps": {"limit": true, "basis": "vendor", "failure": "slow_memory"}}})"},
      {"demo/parameters.json", R"({"case": "demo.parameters", "expect": {
         "count": {"range": [1, 100], "basis": "math"},
         "careful": {"one_of": [true, false], "basis": "math"},
         "seed": {"range": [0, 1000], "basis": "math"}}})"},
      {"demo/wrong.json", R"({"case": "demo.wrong", "expect": {"answer": {"equals": 42, "basis": "seed"}}})"},
      {"demo/lost.json", R"({"case": "demo.lost", "expect": {"answer": {"equals": 42, "basis": "seed"}}})"},
      {"proof/watchful.json",
       R"({"case": "proof.watchful", "expect": {"allocated": {"equals": true, "basis": "seed"}}})"},
      {"proof/exclusive.json",
       R"({"case": "proof.exclusive", "expect": {"allocated": {"equals": true, "basis": "seed"}}})"},
      {"blind/eyes.json", R"({"case": "blind.eyes", "expect": {"allocated": {"equals": true, "basis": "seed"}}})"},
      {"blind/skipper.json",
       R"({"case": "blind.skipper", "expect": {"allocated": {"equals": true, "basis": "seed"}}})"},
      {"unwatched/leak.json", R"({"case": "unwatched.leak", "expect": {"answer": {"equals": 42, "basis": "math"}}})"},
      {"unwatched/throw.json", R"({"case": "unwatched.throw", "expect": {
         "answer": {"equals": 42, "basis": "math"}, "question": {"equals": "none", "basis": "math"},
         "hint": {"informational": true, "basis": "math"}}})"},
      {"skipped/crowd.json",
       R"({"case": "skipped.crowd", "expect": {"allocated": {"equals": true, "basis": "seed"}}})"},
      {"needs/everything.json",
       R"({"case": "needs.everything", "expect": {"allocated": {"equals": true, "basis": "seed"}}})"},
      {"skipped/moon.json", R"({"case": "skipped.moon", "expect": {"answer": {"equals": 1, "basis": "seed"}}})"},
      {"picky/device.json", R"({"case": "picky.device", "expect": {"answer": {"equals": 42, "basis": "math"}}})"},
      {"stress/nothing.json", R"({"case": "stress.nothing", "expect": {"answer": {"equals": 1, "basis": "seed"}}})"},
      {"bad/crashes.json", R"({"case": "bad.crashes", "expect": {"answer": {"equals": 1, "basis": "seed"}}})"},
      {"bad/hangs.json", R"({"case": "bad.hangs", "expect": {"answer": {"equals": 1, "basis": "seed"}}})"},
  }};
  return files;
}

std::string_view contract() {
  const auto digest = [](std::string_view path) {
    const auto files = goldens();
    return sha256(std::ranges::find(files, path, &golden::GoldenSet::File::path)->text);
  };
  static const std::string text = fmt::format(
      R"({{
  "schema": "gpucheck.contract/1",
  "name": "fixture acceptance",
  "version": "1.0",
  "suite": "all",
  "device_kind": "sim",
  "minimum_devices": 1,
  "minimum_repetitions": 1,
  "allowed_options": ["--device", "--journal"],
  "allowed_configuration_keys": [],
  "allowed_settings": ["device", "seed", "parameters"],
  "limits": "{}",
  "cases": {{
    "measured.speed": {{"on": "each_device", "devices": 1, "golden": "{}", "parameters": {{"speed": 3000.0}}}},
    "proof.watchful": {{"on": "each_device", "devices": 1, "golden": "{}", "parameters": {{}}}}
  }}
}}
)",
      digest("limits.json"), digest("measured/speed.json"), digest("proof/watchful.json"));
  return text;
}

}  // namespace gpucheck::application::fixture_cases
