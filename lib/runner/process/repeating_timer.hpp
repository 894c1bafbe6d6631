#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>

namespace gpucheck::runner {

/// Calls a function again and again while an io_context runs.
class RepeatingTimer {
 public:
  RepeatingTimer(boost::asio::io_context& context, std::chrono::milliseconds period, std::function<void()> call)
      : timer_(context), period_(period), call_(std::move(call)) {}

  /// The first call comes after one period.
  void start() {
    if (stopped_) return;
    timer_.expires_after(period_);
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
      if (cancelled || stopped_) return;
      call_();
      start();
    });
  }
  /// From then on the io_context is not kept running. Also from within the function.
  void stop() {
    stopped_ = true;
    timer_.cancel();
  }

 private:
  boost::asio::steady_timer timer_;
  std::chrono::milliseconds period_;
  std::function<void()> call_;
  bool stopped_ = false;
};

}  // namespace gpucheck::runner
