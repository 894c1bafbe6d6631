#include "harness/rendezvous/rendezvous_server.hpp"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "harness/rendezvous/frames.hpp"

namespace gpucheck::harness {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

class Connection;

/// The texts, and who waits for one. Of the server's thread alone.
struct Texts {
  std::string job;
  std::map<std::string, std::string> known = {};
  std::multimap<std::string, std::weak_ptr<Connection>> waiting = {};
};

/// One process that is connected.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Texts& texts, std::atomic<int>& connected)
      : socket_(std::move(socket)), texts_(texts), connected_(connected) {
    ++connected_;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { --connected_; }

  void read() {
    const auto read_text = [self = shared_from_this()](const error_code& problem, std::size_t) {
      if (!problem) self->read_text();
    };
    asio::async_read(socket_, asio::buffer(length_), read_text);
  }
  /// One question at a time is open, and so one answer is under way.
  void answer(const std::string& text) {
    const auto frame = std::make_shared<std::string>(frames::framed(nlohmann::json::array({text})));
    asio::async_write(socket_, asio::buffer(*frame),
                      [self = shared_from_this(), frame](const error_code&, std::size_t) {});
  }

 private:
  void read_text() {
    const std::size_t length = frames::length_of(length_);
    if (length > (is_known_ ? frames::max_bytes : frames::max_stranger_bytes)) return;
    text_.resize(length);
    const auto take = [self = shared_from_this()](const error_code& problem, std::size_t) {
      if (!problem && self->take(frames::words_of(self->text_))) self->read();
    };
    asio::async_read(socket_, asio::buffer(text_), take);
  }
  /// False for what nobody of this job says: the connection ends.
  bool take(const std::vector<std::string>& words) {
    if (!is_known_) return is_known_ = words == std::vector<std::string>{"hello", texts_.job};
    if (words.size() == 3 && words[0] == "put") {
      put(words[1], words[2]);
      return true;
    }
    if (words.size() != 2 || words[0] != "get") return false;
    get(words[1]);
    return true;
  }
  void put(const std::string& name, const std::string& text) {
    const bool is_new = texts_.known.emplace(name, text).second;
    answer(is_new ? frames::is_new : frames::is_known);
    if (!is_new) return;
    const auto [first, last] = texts_.waiting.equal_range(name);
    for (auto waiting = first; waiting != last; ++waiting) {
      if (const auto connection = waiting->second.lock()) connection->answer(text);
    }
    texts_.waiting.erase(first, last);
  }
  void get(const std::string& name) {
    if (const auto known = texts_.known.find(name); known != texts_.known.end()) {
      answer(known->second);
    } else {
      texts_.waiting.emplace(name, weak_from_this());
    }
  }

  tcp::socket socket_;
  Texts& texts_;
  std::atomic<int>& connected_;
  bool is_known_ = false;
  frames::Length length_{};
  std::string text_;
};

/// Every network of this machine; those of IPv6 too where the system has any.
tcp::acceptor listen(asio::io_context& context, const RendezvousAddress& address) {
  const auto port = static_cast<unsigned short>(std::stoi(address.port));
  error_code problem;
  for (const tcp& protocol : {tcp::v6(), tcp::v4()}) {
    tcp::acceptor acceptor(context);
    acceptor.open(protocol, problem);
    if (!problem && protocol == tcp::v6()) acceptor.set_option(asio::ip::v6_only(false), problem);
    if (!problem) acceptor.set_option(tcp::acceptor::reuse_address(true), problem);
    if (!problem) acceptor.bind({protocol, port}, problem);
    if (!problem) acceptor.listen(asio::socket_base::max_listen_connections, problem);
    if (!problem) return acceptor;
  }
  throw EnvironmentError(
      fmt::format("cannot listen at port {}, where the processes of the job meet: {}; name another place with "
                  "--rendezvous tcp://HOST:PORT, of the machine of rank 0, or a folder that all nodes see",
                  address.port, problem.message()));
}

}  // namespace

class RendezvousServer::Implementation {
 public:
  Implementation(const RendezvousAddress& address, std::chrono::milliseconds linger)
      : linger_(linger), texts_{.job = address.job}, acceptor_(listen(context_, address)) {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() {
    const auto deadline = std::chrono::steady_clock::now() + linger_;
    while (connected_ > 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    context_.stop();
    thread_.join();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& problem, tcp::socket socket) {
      if (!problem) std::make_shared<Connection>(std::move(socket), texts_, connected_)->read();
      accept();
    });
  }

  std::chrono::milliseconds linger_;
  std::atomic<int> connected_ = 0;
  Texts texts_;
  asio::io_context context_;
  tcp::acceptor acceptor_;
  std::thread thread_;
};

RendezvousServer::RendezvousServer(const RendezvousAddress& address, std::chrono::milliseconds linger)
    : implementation_(std::make_unique<Implementation>(address, linger)) {}

RendezvousServer::~RendezvousServer() = default;

}  // namespace gpucheck::harness
