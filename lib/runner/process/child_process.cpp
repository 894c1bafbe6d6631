#include "runner/process/child_process.hpp"

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/process/v2/process.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "runner/process/launch.hpp"
#include "runner/process/output.hpp"

namespace gpucheck::runner {
namespace {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using asio::posix::stream_descriptor;
using boost::system::error_code;

constexpr std::size_t drain_at_most = std::size_t{1} << 20;

error_code last_error() { return {errno, boost::system::system_category()}; }

/// A pipe's two ends, neither of which any process inherits by accident.
struct Pipe {
  explicit Pipe(asio::io_context& context) : reader(context), writer(context) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw boost::system::system_error(last_error(), "pipe");
    reader.assign(ends[0]);
    writer.assign(ends[1]);
    reader.native_non_blocking(true);
  }
  stream_descriptor reader;
  stream_descriptor writer;
};

}  // namespace

ProcessEnd process_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {.exit_code = {}, .signal = WTERMSIG(wait_status)};
  return {.exit_code = WEXITSTATUS(wait_status), .signal = {}};
}

class ChildProcess::State : public std::enable_shared_from_this<State> {
 public:
  State(asio::io_context& context, const Command& command, std::function<void(const ProcessEnd&)> on_end)
      : State(Pipe(context), Pipe(context), context, command, std::move(on_end)) {}

  void watch() {
    watch(output_);
    watch(error_output_);
    process_.async_wait([self = shared_from_this()](error_code error, int) { self->ended(error); });
  }

  void kill() const noexcept {
    if (id_ > 0) ::kill(own_group_ ? -id_ : id_, SIGKILL);
  }

  void abandon() {
    on_end_ = nullptr;
    id_ = -1;
    process_.detach();
    close();
  }

  void drain() {
    read(output_);
    read(error_output_);
  }

  struct Stream {
    stream_descriptor pipe;
    Tail tail;
  };

  Stream output_;
  Stream error_output_;
  pid_t id_ = -1;

 private:
  State(Pipe output, Pipe error_output, asio::io_context& context, const Command& command,
        std::function<void(const ProcessEnd&)> on_end)
      : output_{std::move(output.reader), {}},
        error_output_{std::move(error_output.reader), {}},
        own_group_(command.own_group),
        on_end_(std::move(on_end)),
        process_(asio::any_io_executor(context.get_executor()),
                 launch(command, output.writer.native_handle(), error_output.writer.native_handle())) {
    id_ = process_.id();
  }

  static ReadState read(Stream& stream) {
    if (!stream.pipe.is_open()) return ReadState::closed;
    return read_available(stream.pipe.native_handle(), drain_at_most,
                          [&stream](std::string_view bytes) { stream.tail.append(bytes); });
  }

  void watch(Stream& stream) {
    stream.pipe.async_wait(stream_descriptor::wait_read, [self = shared_from_this(), &stream](error_code error) {
      if (error || !stream.pipe.is_open()) return;
      if (read(stream) == ReadState::closed) {
        stream.pipe.close();
      } else {
        self->watch(stream);
      }
    });
  }

  void ended(error_code error) {
    if (id_ < 0) return;
    // What it left behind must neither outlive it nor keep its pipes open.
    if (own_group_) kill();
    id_ = -1;
    const int status = process_.native_exit_code();
    process_.detach();
    drain();
    close();
    if (auto on_end = std::exchange(on_end_, nullptr)) on_end(error ? ProcessEnd{} : process_end(status));
  }

  void close() {
    error_code ignored;
    output_.pipe.close(ignored);
    error_output_.pipe.close(ignored);
  }

  bool own_group_;
  std::function<void(const ProcessEnd&)> on_end_;
  process::process process_;
};

ChildProcess::ChildProcess(asio::io_context& context, const Command& command,
                           std::function<void(const ProcessEnd&)> on_end) {
  try {
    state_ = std::make_shared<State>(context, command, std::move(on_end));
    state_->watch();
  } catch (const boost::system::system_error& error) {
    throw EnvironmentError(fmt::format("cannot start the process \"{} {}\": {}", command.program,
                                       command.arguments.empty() ? "" : command.arguments.front(),
                                       error.code().message()));
  }
}

ChildProcess::~ChildProcess() {
  if (state_->id_ < 0) return;
  state_->kill();
  state_->abandon();
}

pid_t ChildProcess::id() const noexcept { return state_->id_; }
void ChildProcess::kill() noexcept { state_->kill(); }
void ChildProcess::abandon() { state_->abandon(); }
void ChildProcess::drain() { state_->drain(); }
std::string ChildProcess::take_output() { return state_->output_.tail.take(); }
std::string ChildProcess::take_error_output() { return state_->error_output_.tail.take(); }

}  // namespace gpucheck::runner
