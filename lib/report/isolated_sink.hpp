#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/files/waiting_for_files.hpp"
#include "harness/run/events.hpp"

namespace gpucheck::report {

/// Lets nothing that a sink throws reach the run or another sink. A sink that has thrown
/// knows of no event for certain any more: it hears of no further one, so that no document
/// with a hole in it is ever written.
class IsolatedSink final : public harness::EventSink {
 public:
  /// @param complain hears, once, what the sink threw.
  IsolatedSink(std::unique_ptr<harness::EventSink> sink, std::function<void(const std::string&)> complain)
      : sink_(std::move(sink)), complain_(std::move(complain)) {}

  void on(const harness::RunStarted& event) override { pass_on(event); }
  void on(const harness::CaseStarted& event) override { pass_on(event); }
  void on(const harness::CaseFinished& event) override { pass_on(event); }
  void on(const harness::RunFinished& event) override { pass_on(event); }
  void on_heartbeat() override {
    guard([this] { sink_->on_heartbeat(); });
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// The signal that ended its waiting for a reader; 0 for none.
  [[nodiscard]] int interrupted_by() const noexcept { return interrupted_by_; }

 private:
  template <typename Event>
  void pass_on(const Event& event) {
    guard([&] { sink_->on(event); });
  }

  template <typename Step>
  void guard(const Step& step) {
    if (failed_) return;
    try {
      step();
    } catch (const InterruptedError& problem) {
      failed_ = true;
      interrupted_by_ = problem.signal();
      complain_(problem.what());
    } catch (const std::exception& problem) {
      failed_ = true;
      complain_(problem.what());
    } catch (...) {
      failed_ = true;
      complain_("a report failed for an unknown reason");
    }
  }

  std::unique_ptr<harness::EventSink> sink_;
  std::function<void(const std::string&)> complain_;
  bool failed_ = false;
  int interrupted_by_ = 0;
};

}  // namespace gpucheck::report
