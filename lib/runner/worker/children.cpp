#include "runner/worker/children.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <list>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "runner/limits/environment_fault.hpp"
#include "runner/process/child_process.hpp"
#include "runner/program/program.hpp"

namespace gpucheck::runner {
namespace {

namespace asio = boost::asio;
using harness::ChildResult;
using std::chrono::milliseconds;

/// One child under way.
class Child {
 public:
  Child(asio::io_context& context, const Command& command, milliseconds limit)
      : timer_(context), process_(context, command, [this](const ProcessEnd& end) { ended(end); }) {
    timer_.expires_after(limit);
    timer_.async_wait([this](boost::system::error_code error) {
      if (!error) kill();
    });
  }

  [[nodiscard]] ChildResult take() { return std::move(result_); }
  /// The limit of the machine that ended it, where one did.
  [[nodiscard]] const std::optional<EnvironmentFault>& fault() const { return fault_; }

 private:
  void kill() {
    result_.timed_out = true;
    process_.kill();
    timer_.expires_after(time_to_die);
    timer_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      process_.drain();
      process_.abandon();
      take_output();
    });
  }

  void ended(const ProcessEnd& end) {
    timer_.cancel();
    // One killed at its limit did not end by itself: its signal says nothing.
    if (!result_.timed_out) {
      result_.exit_code = end.exit_code;
      result_.signal = end.signal;
      fault_ = fault_of_end(end, id_, oom_before_, oom_watch_);
    }
    take_output();
  }

  void take_output() {
    result_.output = process_.take_output();
    result_.error_output = process_.take_error_output();
  }

  ChildResult result_;
  std::optional<EnvironmentFault> fault_;
  OomWatch oom_watch_;
  OomReading oom_before_ = oom_watch_.read();
  asio::steady_timer timer_;
  ChildProcess process_;
  pid_t id_ = process_.id();
};

}  // namespace

std::vector<std::string> child_arguments(const ChildRequest& request) {
  return {"child", "--request", encode(request)};
}

std::vector<ChildResult> ProcessLauncher::run(const harness::Case& test_case, const std::vector<std::string>& names,
                                              milliseconds limit) {
  asio::io_context context(1);
  std::list<Child> children;
  for (const std::string& name : names) {
    ChildRequest request = request_;
    request.case_name = test_case.name;
    request.child_name = name;
    children.emplace_back(context, Command{.program = "/proc/self/exe", .arguments = child_arguments(request)}, limit);
  }
  context.run();
  std::vector<ChildResult> results;
  for (Child& child : children) {
    // What a limit of the machine does is nothing that the case may observe.
    if (child.fault()) throw EnvironmentError("a process that the case started was ended: " + child.fault()->text);
    results.push_back(child.take());
  }
  return results;
}

harness::ProgramEnd ProcessLauncher::run_program(const harness::ProgramStart& start,
                                                 const std::function<void(std::string_view)>& take) {
  return runner::run_program(start, take);
}

}  // namespace gpucheck::runner
