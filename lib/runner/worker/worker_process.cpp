#include "runner/worker/worker_process.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "runner/process/child_process.hpp"
#include "runner/process/output.hpp"
#include "runner/process/process_table.hpp"
#include "runner/worker/message_channel.hpp"

namespace gpucheck::runner {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Socket = asio::local::stream_protocol::socket;
using std::chrono::milliseconds;

/// From the end of the channel to the end of the process, when the process is ending.
constexpr milliseconds time_to_exit{2000};
/// A timer later than this says that the supervisor itself was held up.
constexpr milliseconds late{250};
/// Observations of one case: more is a runaway, and would fill the supervisor's memory.
constexpr std::size_t max_observed_bytes = std::size_t{64} << 20;
constexpr std::size_t read_at_once = std::size_t{4} << 20;

/// Two connected ends that no other process inherits.
std::array<int, 2> make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw EnvironmentError(fmt::format("cannot make a channel to a worker: {}", std::strerror(errno)));
  }
  return ends;
}

std::uint64_t sequence_of(const Request& request) {
  const auto* run = std::get_if<RunRequest>(&request);
  return run != nullptr ? run->sequence : 0;
}

}  // namespace

class WorkerProcess::State : public std::enable_shared_from_this<State> {
 public:
  State(asio::io_context& context, const std::string& program, std::function<void()> on_gone)
      : context_(context), channel_(context), timer_(context), on_gone_(std::move(on_gone)) {
    const std::array<int, 2> ends = make_channel();
    channel_.assign(asio::local::stream_protocol(), ends[0]);
    channel_.native_non_blocking(true);
    const Socket other_end(context, asio::local::stream_protocol(), ends[1]);  // closed when the process has it
    const Command command{.program = program,
                          .arguments = {"worker", "--descriptor", std::to_string(ends[1])},
                          .own_group = true,
                          .inherited_descriptor = ends[1]};
    process_.emplace(context, command, [this](const ProcessEnd& end) { exited(end); });
  }

  void watch() {
    channel_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
      if (error || !self->channel_.is_open()) return;
      self->read_channel();
      if (self->channel_.is_open()) self->watch();
    });
  }

  void request(const Request& request, milliseconds limit, std::function<void(RequestEnd)> done) {
    auto frame = std::make_shared<std::string>(encode_frame(encode(request)));
    phase_ = Phase::busy;
    sequence_ = sequence_of(request);
    done_ = std::move(done);
    end_ = {};
    observed_bytes_ = 0;
    started_ = Clock::now();
    waited_before_ = waited_for_processor(process_->id());
    oom_before_ = oom_watch_.read();
    asked_ = process_->id();
    extended_ = false;
    discard_output();
    asio::async_write(channel_, asio::buffer(*frame),
                      [self = shared_from_this(), frame, asked = started_](error_code error, std::size_t) {
                        if (error) self->request_lost(asked, error);
                      });
    limit_ = limit;
    arm(limit, &State::deadline_passed);
  }

  void retire() {
    if (phase_ != Phase::idle) return;
    phase_ = Phase::leaving;
    close_channel();
    arm(time_to_die, &State::kill);
  }

  void kill() { kill(time_to_die); }

  void kill(milliseconds patience) {
    if (phase_ == Phase::gone) return;
    process_->kill();
    killed_ = true;
    if (phase_ == Phase::idle) phase_ = Phase::leaving;
    arm(patience, &State::abandon);
  }

  [[nodiscard]] pid_t id() const noexcept { return process_->id(); }

  enum class Phase { idle, busy, leaving, gone };
  Phase phase_ = Phase::idle;

 private:
  void arm(milliseconds delay, void (State::*action)()) {
    timer_.expires_after(delay);
    timer_.async_wait([self = shared_from_this(), action, armed = ++armed_](error_code error) {
      if (!error && armed == self->armed_) ((*self).*action)();
    });
  }

  void disarm() {
    ++armed_;
    timer_.cancel();
  }

  // -- the channel ---------------------------------------------------------------------

  void read_channel() {
    if (!channel_.is_open()) return;
    const ReadState state = read_available(channel_.native_handle(), read_at_once,
                                           [this](std::string_view bytes) { decoder_.append(bytes); });
    // Known before the frames are looked at: a worker that has left takes no more requests.
    channel_ended_ = state == ReadState::closed;
    take_frames();
    if (channel_ended_) channel_ended();
  }

  void take_frames() {
    try {
      while (channel_.is_open()) {
        const auto body = decoder_.next();
        if (!body) return;
        observed_bytes_ += body->size();
        if (observed_bytes_ > max_observed_bytes) throw ProtocolError("more than 64 MiB of observations");
        take(decode_reply(*body));
      }
    } catch (const ProtocolError& error) {
      break_channel(fmt::format("wrote something else into its result pipe: {}", error.what()));
    }
  }

  void take(Reply reply) {
    if (phase_ != Phase::busy) throw ProtocolError("a reply that nobody asked for");
    const auto* finished = std::get_if<FinishedReply>(&reply);
    if (auto* observed = std::get_if<ObservationReply>(&reply)) {
      check_sequence(observed->sequence);
      end_.observations.push_back(std::move(observed->observation));
    } else {
      if (finished != nullptr) check_sequence(finished->sequence);
      end_.reply = std::move(reply);
      complete(RequestEnd::Kind::replied);
    }
  }

  void check_sequence(std::uint64_t sequence) const {
    if (sequence != sequence_) throw ProtocolError("a reply to an earlier request");
  }

  /// A process that dies closes its channel too: only one that lives on has lost it.
  void channel_ended() {
    close_channel();
    if (phase_ == Phase::busy) {
      arm(time_to_exit, &State::channel_lost);
    } else {
      kill();
    }
  }

  void channel_lost() {
    set_cause(RequestEnd::Kind::closed_channel);
    kill();
  }

  /// A worker that has died says so itself, with what it died of; one that lives on would
  /// wait for the request for ever.
  void request_lost(Clock::time_point asked, error_code error) {
    if (phase_ != Phase::busy || asked != started_ || !channel_.is_open()) return;
    lost_request_ = fmt::format("could not be given its work: {}", error.message());
    arm(time_to_exit, &State::give_up_request);
  }

  void give_up_request() { break_channel(std::exchange(lost_request_, {})); }

  void break_channel(std::string reason) {
    close_channel();
    set_cause(RequestEnd::Kind::broken_channel, std::move(reason));
    kill();
  }

  /// The first one counts.
  void set_cause(RequestEnd::Kind cause, std::string reason = {}) {
    if (cause_) return;
    cause_ = cause;
    end_.reason = std::move(reason);
  }

  void close_channel() {
    error_code ignored;
    channel_.close(ignored);
  }

  // -- ends ----------------------------------------------------------------------------

  void deadline_passed() {
    const auto lateness = std::chrono::duration_cast<milliseconds>(Clock::now() - timer_.expiry());
    // The answer may be here, unread because the supervisor was busy or stopped. If it is
    // not, the worker may have waited for the supervisor, and gets all of its time again.
    read_channel();
    if (phase_ != Phase::busy || cause_) return;
    if (lateness > late) return arm(limit_, &State::deadline_passed);
    if (const milliseconds left = time_left(); left.count() > 0) {
      extended_ = true;
      return arm(left, &State::deadline_passed);
    }
    cause_ = RequestEnd::Kind::deadline;
    if (oom_watch_.read().waits) end_.environment = fault_of_standstill(oom_watch_);
    kill();
  }

  /// The rest of the limit. What the worker and its children waited for a processor is not
  /// part of it: on an overloaded machine a healthy case is slow too.
  [[nodiscard]] milliseconds time_left() const {
    const auto elapsed = std::chrono::duration_cast<milliseconds>(Clock::now() - started_);
    const milliseconds waited = group_waited_for_processor(process_->id()) - waited_before_;
    if (waited < limit_ / 10) return milliseconds(0);  // no more than any process waits
    const milliseconds longest = limit_ + WorkerProcess::max_extension * limit_;
    return std::min(limit_ - (elapsed - waited), longest - elapsed);
  }

  void exited(const ProcessEnd& process) {
    exited_ = true;
    read_channel();
    if (phase_ == Phase::busy) {
      end_.process = process;
      // Not of one that was killed from here.
      if (!killed_) end_.environment = fault_of_end(process, asked_, oom_before_, oom_watch_);
      if (process.exit_code == channel_lost_exit_code) {
        set_cause(RequestEnd::Kind::closed_channel);
      } else if (cause_ == RequestEnd::Kind::closed_channel && process.signal != SIGKILL) {
        cause_.reset();  // it was dying by itself, only slowly: tearing down a device takes its time
      }
      complete(cause_.value_or(RequestEnd::Kind::died));
    }
    leave();
  }

  void abandon() {
    if (exited_) return;
    process_->abandon();
    if (phase_ == Phase::busy) {
      end_.abandoned = true;
      complete(cause_.value_or(RequestEnd::Kind::died));
    }
    leave();
  }

  void complete(RequestEnd::Kind kind) {
    disarm();
    process_->drain();
    const bool usable = kind == RequestEnd::Kind::replied && !exited_ && !killed_ && !channel_ended_;
    phase_ = usable ? Phase::idle : Phase::leaving;
    end_.kind = kind;
    end_.output_tail = process_->take_output();
    end_.error_tail = process_->take_error_output();
    end_.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
    if (extended_) end_.extension_ms = std::max(end_.elapsed_ms - static_cast<double>(limit_.count()), 0.0);
    std::exchange(done_, nullptr)(std::exchange(end_, {}));
  }

  void leave() {
    phase_ = Phase::gone;
    disarm();
    close_channel();
    asio::post(context_, std::exchange(on_gone_, nullptr));
  }

  void discard_output() {
    process_->drain();
    static_cast<void>(process_->take_output());
    static_cast<void>(process_->take_error_output());
  }

  asio::io_context& context_;
  Socket channel_;
  asio::steady_timer timer_;
  std::function<void()> on_gone_;
  std::optional<ChildProcess> process_;
  FrameDecoder decoder_;
  std::uint64_t sequence_ = 0;
  std::uint64_t armed_ = 0;
  std::size_t observed_bytes_ = 0;
  Clock::time_point started_;
  milliseconds limit_{};
  milliseconds waited_before_{};  ///< for a processor
  OomWatch oom_watch_;            ///< of the cgroups that this process is in as it starts the worker
  OomReading oom_before_;
  pid_t asked_ = -1;  ///< the process's number, also when it has ended
  bool extended_ = false;
  std::string lost_request_;  ///< why the worker does not have it; empty while it may
  bool exited_ = false;
  bool killed_ = false;
  bool channel_ended_ = false;
  std::optional<RequestEnd::Kind> cause_;  ///< why the request will not end as it should
  RequestEnd end_;
  std::function<void(RequestEnd)> done_;
};

WorkerProcess::WorkerProcess(asio::io_context& context, const std::string& program, std::function<void()> on_gone)
    : state_(std::make_shared<State>(context, program, std::move(on_gone))) {
  state_->watch();
}

WorkerProcess::~WorkerProcess() { state_->kill(); }

bool WorkerProcess::idle() const noexcept { return state_->phase_ == State::Phase::idle; }
bool WorkerProcess::gone() const noexcept { return state_->phase_ == State::Phase::gone; }
pid_t WorkerProcess::id() const noexcept { return state_->id(); }

void WorkerProcess::request(const Request& request, milliseconds limit, std::function<void(RequestEnd)> done) {
  state_->request(request, limit, std::move(done));
}

void WorkerProcess::retire() { state_->retire(); }
void WorkerProcess::kill(milliseconds patience) { state_->kill(patience); }

}  // namespace gpucheck::runner
