#include "harness/rendezvous/socket_rendezvous.hpp"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "harness/rendezvous/frames.hpp"

namespace gpucheck::harness {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// How long the server is waited for: rank 0 may start long after the others.
constexpr std::chrono::seconds connect_patience(60);
constexpr std::chrono::seconds write_patience(30);

class SocketRendezvous final : public Rendezvous {
 public:
  explicit SocketRendezvous(RendezvousAddress address) : address_(std::move(address)) {}

  bool put(const std::string& name, const std::string& text) override {
    const Clock::time_point deadline = Clock::now() + connect_patience;
    say(nlohmann::json::array({"put", name, text}), deadline);
    const std::optional<std::string> answer = receive_answer(deadline);
    if (!answer) lose("it does not answer");
    return *answer == frames::is_new;
  }

  std::optional<std::string> get(const std::string& name, Clock::time_point deadline) override {
    if (!connect(deadline)) return std::nullopt;
    say(nlohmann::json::array({"get", name}), deadline);
    return receive_answer(deadline);
  }

 private:
  /// Nothing where none has come by then.
  std::optional<std::string> receive_answer(Clock::time_point deadline) {
    frames::Length length{};
    if (!receive(asio::buffer(length), deadline)) return std::nullopt;
    std::string text(frames::length_of(length), '\0');
    if (text.size() > frames::max_bytes) lose("its answer is too long");
    if (!receive(asio::buffer(text), deadline)) return std::nullopt;
    const std::vector<std::string> words = frames::words_of(text);
    if (words.size() != 1) lose("it answers otherwise than gpucheck does");
    return words.front();
  }

  /// Lets what was begun end. False where it has not by then.
  bool finish(const bool& done, Clock::time_point deadline) {
    context_.restart();
    while (!done && Clock::now() < deadline) context_.run_one_until(deadline);
    return done;
  }

  /// False where the server is not there in time.
  bool connect(Clock::time_point deadline) {
    constexpr std::chrono::milliseconds pause(50);
    while (!socket_.is_open()) {
      if (try_to_connect(deadline)) {
        say(nlohmann::json::array({"hello", address_.job}), deadline);
        break;
      }
      if (Clock::now() >= deadline) return false;
      std::this_thread::sleep_for(std::min<Clock::duration>(pause, deadline - Clock::now()));
    }
    return true;
  }

  bool try_to_connect(Clock::time_point deadline) {
    error_code problem;
    tcp::resolver resolver(context_);
    const auto places = resolver.resolve(address_.host, address_.port, problem);
    if (problem) {
      problem_ = problem.message();
      return false;
    }
    bool done = false;
    asio::async_connect(socket_, places, [&](const error_code& result, const tcp::endpoint&) {
      problem = result;
      done = true;
    });
    if (!finish(done, deadline)) give_up();
    if (done && !problem) return true;
    problem_ = problem.message();
    close();
    return false;
  }

  void say(const nlohmann::json& message, Clock::time_point deadline) {
    if (!connect(deadline)) {
      throw EnvironmentError(fmt::format("cannot reach {}:{}, where the processes of the job meet: {}", address_.host,
                                         address_.port, problem_));
    }
    const std::string frame = frames::framed(message);
    error_code problem;
    bool done = false;
    asio::async_write(socket_, asio::buffer(frame), [&](const error_code& result, std::size_t) {
      problem = result;
      done = true;
    });
    if (!finish(done, std::max(deadline, Clock::now() + write_patience))) {
      give_up();
      lose("it takes nothing any more");
    }
    if (problem) lose(problem.message());
  }

  /// False where nothing has come by then: the question stays unanswered, and the connection ends.
  bool receive(const asio::mutable_buffer& room, Clock::time_point deadline) {
    error_code problem;
    bool done = false;
    asio::async_read(socket_, room, [&](const error_code& result, std::size_t) {
      problem = result;
      done = true;
    });
    if (!finish(done, deadline)) {
      give_up();
      return false;
    }
    if (problem) lose(problem.message());
    return true;
  }

  void close() {
    error_code ignored;
    socket_.close(ignored);
  }
  /// Ends what was begun, whose handlers refer to variables of the caller.
  void give_up() {
    close();
    context_.restart();
    context_.run();
  }
  [[noreturn]] void lose(const std::string& why) {
    close();
    throw EnvironmentError(
        fmt::format("lost {}:{}, where the processes of the job meet: {}", address_.host, address_.port, why));
  }

  RendezvousAddress address_;
  asio::io_context context_;
  tcp::socket socket_{context_};
  std::string problem_ = "no answer";
};

}  // namespace

std::unique_ptr<Rendezvous> make_socket_rendezvous(RendezvousAddress address) {
  return std::make_unique<SocketRendezvous>(std::move(address));
}

}  // namespace gpucheck::harness
