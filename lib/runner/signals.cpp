#include "runner/signals.hpp"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <signal.h>

namespace gpucheck::runner {
namespace {

struct Saved {
  int number;
  struct sigaction action;
};

Saved save(int number) {
  Saved saved{.number = number, .action = {}};
  ::sigaction(number, nullptr, &saved.action);
  return saved;
}

}  // namespace

class InterruptGuard::State {
 public:
  State(boost::asio::io_context& context, std::function<void(int)> on_signal) : signals_(context) {
    // A parent that ignores SIGCHLD passes that on, and the ends of workers would be lost.
    ::signal(SIGCHLD, SIG_DFL);
    for (const Saved& saved : saved_) {
      if (saved.action.sa_handler != SIG_IGN) signals_.add(saved.number);
    }
    signals_.async_wait([this, on_signal = std::move(on_signal)](boost::system::error_code error, int number) {
      if (error) return;
      release();
      on_signal(number);
    });
  }

  ~State() {
    release();
    ::sigaction(SIGCHLD, &child_action_.action, nullptr);
  }

  void release() {
    if (released_) return;
    released_ = true;
    signals_.cancel();
    signals_.clear();
    // Clearing leaves the system's defaults, not what was there before.
    for (const Saved& saved : saved_) ::sigaction(saved.number, &saved.action, nullptr);
  }

 private:
  std::array<Saved, 2> saved_{save(SIGINT), save(SIGTERM)};
  Saved child_action_ = save(SIGCHLD);
  boost::asio::signal_set signals_;
  bool released_ = false;
};

InterruptGuard::InterruptGuard(boost::asio::io_context& context, std::function<void(int)> on_signal)
    : state_(std::make_unique<State>(context, std::move(on_signal))) {}
InterruptGuard::~InterruptGuard() = default;
void InterruptGuard::release() { state_->release(); }

}  // namespace gpucheck::runner
