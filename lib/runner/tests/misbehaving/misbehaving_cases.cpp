#include "misbehaving_cases.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "base/text/units.hpp"
#include "harness/case/context.hpp"
#include "runner/tests/misbehaving/case_makers.hpp"
#include "runner/tests/misbehaving/misbehaving_deeds.hpp"
#include "runner/worker/protocol.hpp"

namespace gpucheck::runner::testing {
namespace {

using harness::Case;
using harness::Context;
using std::chrono::milliseconds;

template <typename Action>
void for_each_socket(Action action) {
  for (int descriptor = 3; descriptor < 1024; ++descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode)) action(descriptor);
  }
}

void write_to_channel(std::string_view bytes) {
  for_each_socket([bytes](int descriptor) { static_cast<void>(::send(descriptor, bytes.data(), bytes.size(), 0)); });
}

std::string framed(std::string_view body) {
  std::string frame{static_cast<char>(body.size()), 0, 0, 0};
  return frame.append(body);
}

void observe_and_segfault(Context& context) {
  context.observe("before", true);
  std::printf("last words on stdout\n");
  std::fprintf(stderr, "last words on stderr\n");
  die_by(SIGSEGV);
}

void hang_deaf_to_sigterm(Context& context) {
  ::signal(SIGTERM, SIG_IGN);
  context.observe("before", true);
  leave_mark("hanging");
  wait_for_ever();
}

/// Uses 300 ms of a processor, however long it takes to get them.
void use_processor(Context& context) {
  const auto used_ms = [] {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1000 + used.tv_nsec / 1'000'000;
  };
  const auto end = used_ms() + 300;
  while (used_ms() < end) {
  }
  context.observe("answer", 42);
}

void flood_output(Context& context) {
  const std::string block(1_MiB, 'x');
  for (std::int64_t i = 0; i < context.parameter<std::int64_t>("megabytes"); ++i) {
    std::fwrite(block.data(), 1, block.size(), stdout);
    std::fwrite(block.data(), 1, block.size(), stderr);
  }
  std::printf("the end\n");
  context.observe("answer", 42);
}

/// Prints when the case is over, and leaves a mark when that is done.
void print_late(Context& context) {
  std::thread([] {
    std::this_thread::sleep_for(milliseconds(100));
    std::fputs("late on stdout\n", stdout);
    std::fputs("late on stderr\n", stderr);
    std::fflush(stdout);
    leave_mark("printed_late");
  }).detach();
  context.observe("answer", 42);
}

void print_garbage(Context& context) {
  const std::string garbage("\0\x01\xff\xfe{\"type\":\"finished\"}\x1b[31m\n\0\0", 29);
  std::fwrite(garbage.data(), 1, garbage.size(), stdout);
  std::fputs("{\"type\":\"finished\",\"sequence\":1,\"status\":0}\n", stdout);
  context.observe("answer", 41);
}

// -- cases that meet a limit of the machine ---------------------------------------------

void use_memory(Context& context) {
  std::ofstream("/proc/self/oom_score_adj") << 1000;  // of all in its cgroup the kernel is to end this process
  const std::string used(static_cast<std::size_t>(context.parameter<std::int64_t>("megabytes")) * 1_MiB, 'x');
  context.observe("answer", used.back() == 'x' ? 42 : 0);
}

int child_uses_memory(Context& context) {
  use_memory(context);
  return 0;
}

void write_a_megabyte(Context& context) {
  std::ofstream(mark_path("large")) << std::string(1_MiB, 'x') << std::flush;
  context.observe("answer", 42);
}

/// As a program does that nobody catches the exception of.
[[noreturn]] void throw_into_nothing(const char* type, const char* words) {
  std::fprintf(stderr, "terminate called after throwing an instance of '%s'\n  what():  %s\n", type, words);
  die_by(SIGABRT);
  ::_exit(1);
}

void close_channel(Context& context) {
  for_each_socket([](int descriptor) { ::close(descriptor); });
  context.observe("answer", 42);
}

void close_channel_and_stay(Context&) {
  for_each_socket([](int descriptor) { ::close(descriptor); });
  wait_for_ever();
}

void write_first(Context& context, std::string_view bytes_for_the_channel) {
  write_to_channel(bytes_for_the_channel);
  context.observe("answer", 42);
}

/// The end of another request than the one that this case answers.
std::string end_of_request(std::uint64_t sequence) {
  return framed(encode(FinishedReply{.sequence = sequence, .execution = {}}));
}

std::string stale_observation() {
  return framed(encode(ObservationReply{.sequence = 0, .observation = {"answer", 41}}));
}

void leave_a_child(Context& context) {
  if (::fork() == 0) {
    leave_mark("left_child");
    wait_for_ever();
  }
  context.observe("answer", 42);
}

void return_twice(Context& context) {
  static_cast<void>(::fork());
  context.observe("answer", 42);
}

Case hanging(std::string name, void (*run)(Context&)) {
  return with(make(std::move(name), run), [](Case& made) { made.deadline = milliseconds(1500); });
}

std::vector<Case> misbehaving_cases() {
  return {
      make("crash.segfault", observe_and_segfault),
      make("crash.abort", [](Context&) { die_by(SIGABRT); }),
      make("crash.kill", [](Context&) { ::kill(::getpid(), SIGKILL); }),
      make("crash.exit7", [](Context&) { ::_exit(7); }),
      make("crash.exit0", [](Context&) { ::_exit(0); }),
      with(make("limit.memory", use_memory),
           [](Case& made) { made.parameters = {integer_parameter("megabytes", 2048)}; }),
      with(make("limit.childs_memory",
                [](Context& context) {
                  context.observe("answer",
                                  context.run_child("uses_memory", milliseconds(20'000)).exit_code.value_or(1));
                }),
           [](Case& made) {
             made.parameters = {integer_parameter("megabytes", 2048)};
             made.children = {{"uses_memory", child_uses_memory}};
           }),
      make("limit.file_size", write_a_megabyte),
      make("limit.processor_time",
           [](Context&) {
             while (true) {
             }
           }),
      make("limit.threads",
           [](Context&) { throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)); }),
      make("limit.uncaught", [](Context&) { throw_into_nothing("std::bad_alloc", "std::bad_alloc"); }),
      make("limit.forbidden", [](Context&) { die_by(SIGSYS); }),
      hanging("hang.deaf", hang_deaf_to_sigterm),
      with(make("hang.overloaded", use_processor), [](Case& made) { made.deadline = milliseconds(600); }),
      with(make("hang.long", hang_deaf_to_sigterm), [](Case& made) { made.deadline = std::chrono::hours(1); }),
      with(make("output.flood", flood_output),
           [](Case& made) { made.parameters = {integer_parameter("megabytes", 100)}; }),
      make("output.garbage", print_garbage),
      make("output.late", print_late),
      make("channel.close", close_channel),
      hanging("channel.close_and_stay", close_channel_and_stay),
      make("channel.garbage", [](Context& context) { write_first(context, "this is not a frame at all"); }),
      make("channel.malformed", [](Context& context) { write_first(context, framed("{\"type\": 7}")); }),
      make("channel.stale", [](Context& context) { write_first(context, end_of_request(0)); }),
      make("channel.early", [](Context& context) { write_first(context, end_of_request(999'999)); }),
      make("channel.stale_observation", [](Context& context) { write_first(context, stale_observation()); }),
      make("channel.huge", [](Context& context) { write_first(context, std::string("\xff\xff\xff\xff{", 5)); }),
      make("leak.child", leave_a_child),
      make("leak.fork", return_twice),
  };
}

}  // namespace

harness::Registry misbehaving_registry() {
  std::vector<Case> all = behaving_cases();
  std::ranges::move(misbehaving_cases(), std::back_inserter(all));
  return harness::Registry(std::move(all));
}

}  // namespace gpucheck::runner::testing
