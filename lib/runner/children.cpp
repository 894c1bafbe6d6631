#include "runner/children.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <list>
#include <utility>

#include "runner/child_process.hpp"

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
    }
    take_output();
  }

  void take_output() {
    result_.output = process_.take_output();
    result_.error_output = process_.take_error_output();
  }

  ChildResult result_;
  asio::steady_timer timer_;
  ChildProcess process_;
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
  for (Child& child : children) results.push_back(child.take());
  return results;
}

}  // namespace gpucheck::runner
