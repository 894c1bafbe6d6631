#include "harness/rendezvous/rendezvous.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "harness/rendezvous/frames.hpp"
#include "harness/rendezvous/rendezvous_server.hpp"

namespace gpucheck::harness {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = Rendezvous::Clock;
namespace asio = boost::asio;
using asio::ip::tcp;

/// One that nobody listens at now.
int free_port() {
  asio::io_context context;
  return tcp::acceptor(context, {tcp::v4(), 0}).local_endpoint().port();
}

/// A place where processes meet, for as long as it lives.
class Place {
 public:
  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;
  [[nodiscard]] virtual World world() const = 0;
  [[nodiscard]] std::unique_ptr<Rendezvous> visit() const { return make_rendezvous(world()); }
};

class Folder final : public Place {
 public:
  ~Folder() override { std::filesystem::remove_all(path_); }
  [[nodiscard]] World world() const override { return {.size = 2, .rendezvous = path_, .member = "n1"}; }

 private:
  std::string path_ = testing::TempDir() + fmt::format("rendezvous.{}", ::getpid());
};

class Server final : public Place {
 public:
  [[nodiscard]] World world() const override { return {.size = 2, .rendezvous = address_, .member = "n1"}; }
  [[nodiscard]] int port() const { return port_; }

 private:
  int port_ = free_port();
  std::string address_ = fmt::format("tcp://127.0.0.1:{}/job 7", port_);
  RendezvousServer server_{*parse_rendezvous_address(address_), 0ms};
};

struct Kind {
  const char* name;
  std::function<std::unique_ptr<Place>()> make;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class RendezvousContract : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<Place> place_ = GetParam().make();
};

TEST_P(RendezvousContract, GivesWhatWasLeft) {
  const auto one = place_->visit();
  const auto other = place_->visit();
  EXPECT_TRUE(one->put("a/b.0", "text"));
  EXPECT_TRUE(one->put("empty", ""));
  EXPECT_TRUE(one->put("bytes", "\n\x01 \"\\ \xC3\xA9"));
  EXPECT_EQ(other->get("a/b.0", Clock::now() + 10s), "text");
  EXPECT_EQ(other->get("empty", Clock::now() + 10s), "");
  EXPECT_EQ(other->get("bytes", Clock::now() + 10s), "\n\x01 \"\\ \xC3\xA9");
  EXPECT_EQ(one->get("a/b.0", Clock::now() + 10s), "text") << "one's own, and again";
}

TEST_P(RendezvousContract, WaitsForWhatIsStillToCome) {
  const auto one = place_->visit();
  std::optional<std::string> seen;
  std::thread waiting([&] { seen = place_->visit()->get("late", Clock::now() + 30s); });
  std::this_thread::sleep_for(30ms);
  EXPECT_TRUE(one->put("late", "come"));
  waiting.join();
  EXPECT_EQ(seen, "come");
}

TEST_P(RendezvousContract, GivesUpAtTheDeadlineAndGoesOn) {
  const auto one = place_->visit();
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(one->get("never", start + 60ms), std::nullopt);
  EXPECT_GE(Clock::now() - start, 60ms);
  EXPECT_TRUE(one->put("x", "1"));
  EXPECT_EQ(one->get("x", Clock::now() + 10s), "1");
}

TEST_P(RendezvousContract, KeepsTheFirstTextOfAName) {
  const auto one = place_->visit();
  const auto other = place_->visit();
  EXPECT_TRUE(one->put("name", "first"));
  EXPECT_FALSE(other->put("name", "second"));
  EXPECT_FALSE(one->put("name", "first"));
  EXPECT_EQ(other->get("name", Clock::now() + 10s), "first");
}

TEST_P(RendezvousContract, TakesAMegabyte) {
  const auto one = place_->visit();
  const std::string large(1U << 20U, 'x');
  EXPECT_TRUE(one->put("large", large));
  EXPECT_EQ(place_->visit()->get("large", Clock::now() + 10s), large);
}

TEST_P(RendezvousContract, LetsOneOfManyBeFirst) {
  constexpr int many = 8;
  std::vector<std::thread> threads;
  std::atomic<int> first = 0;
  for (int i = 0; i < many; ++i) {
    threads.emplace_back([&, i] {
      const auto own = place_->visit();
      if (own->put("leader", std::to_string(i))) ++first;
      EXPECT_TRUE(own->put(fmt::format("here.{}", i), ""));
      for (int other = 0; other < many; ++other) {
        EXPECT_TRUE(own->get(fmt::format("here.{}", other), Clock::now() + 30s)) << other;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(first, 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RendezvousContract,
                         testing::Values(Kind{"folder", [] { return std::make_unique<Folder>(); }},
                                         Kind{"server", [] { return std::make_unique<Server>(); }}),
                         [](const auto& info) { return info.param.name; });

TEST(RendezvousServer, AnswersNobodyOfAnotherJob) {
  const Server server;
  World stranger = server.world();
  stranger.rendezvous = fmt::format("tcp://127.0.0.1:{}/job 8", server.port());
  const auto other = make_rendezvous(stranger);
  EXPECT_THROW(static_cast<void>(other->get("a", Clock::now() + 5s)), EnvironmentError);
}

TEST(RendezvousServer, EndsConnectionsThatSayAnythingElse) {
  const Server server;
  using namespace std::string_literals;
  for (const std::string& said : {"GET / HTTP/1.1\r\n\r\n"s, "\x7f\xff\xff\xff"s, "\x00\x00\x00\x02{}"s,
                                  frames::framed({"hello", "job 7"}) + frames::framed({"drop", "table"}),
                                  frames::framed({"hello", "job 7"}) + "\x00\x00\x00\x01["s}) {
    asio::io_context context;
    tcp::socket socket(context);
    socket.connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(server.port())});
    asio::write(socket, asio::buffer(said));
    char byte = 0;
    boost::system::error_code problem;
    asio::read(socket, asio::buffer(&byte, 1), problem);
    EXPECT_TRUE(problem) << said;
  }
  EXPECT_TRUE(server.visit()->put("still", "here"));
}

TEST(RendezvousServer, SaysWhatToDoWhereItsPortIsTaken) {
  const Server server;
  try {
    const RendezvousServer second(*parse_rendezvous_address(server.world().rendezvous), 0ms);
    FAIL() << "two servers at one port";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(std::to_string(server.port())), HasSubstr("--rendezvous")));
  }
}

TEST(RendezvousServer, IsWaitedForAndMissed) {
  const int port = free_port();
  const World world{.size = 2, .rendezvous = fmt::format("tcp://127.0.0.1:{}/j", port), .member = "n"};
  const auto early = make_rendezvous(world);
  EXPECT_EQ(early->get("a", Clock::now() + 80ms), std::nullopt) << "nobody serves";
  std::thread late([&] { EXPECT_EQ(early->get("a", Clock::now() + 30s), "1"); });
  std::this_thread::sleep_for(60ms);
  const RendezvousServer server(*parse_rendezvous_address(world.rendezvous), 0ms);
  EXPECT_TRUE(make_rendezvous(world)->put("a", "1"));
  late.join();
}

TEST(RendezvousAddress, IsAHostAndAPortOrAFolder) {
  EXPECT_FALSE(parse_rendezvous_address("/shared/folder"));
  EXPECT_FALSE(parse_rendezvous_address("folder"));
  const auto address = parse_rendezvous_address("tcp://n5.cluster:23456/81.0");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "n5.cluster");
  EXPECT_EQ(address->port, "23456");
  EXPECT_EQ(address->job, "81.0");
  EXPECT_EQ(parse_rendezvous_address("tcp://[fe80::1]:1")->host, "fe80::1");
  EXPECT_EQ(parse_rendezvous_address("tcp://h:65535")->job, "");
  for (const char* wrong : {"tcp://", "tcp://host", "tcp://host:", "tcp://:80", "tcp://host:0", "tcp://host:65536",
                            "tcp://host:8a", "tcp://host:-1", "tcp://host/job"}) {
    EXPECT_THROW(static_cast<void>(parse_rendezvous_address(wrong)), UsageError) << wrong;
  }
}

TEST(World, IsOneTextAndBack) {
  const World world{.rank = 2, .size = 4, .rendezvous = "tcp://n 5:1/x y", .member = "n07:3"};
  EXPECT_EQ(to_text(world), "2/4 n07:3 tcp://n 5:1/x y");
  EXPECT_EQ(parse_world(to_text(world)), world);
  EXPECT_EQ(parse_world(""), World{});
  EXPECT_EQ(to_text(World{}), "");
  const World homeless{.rank = 0, .size = 2, .rendezvous = "", .member = "n"};
  EXPECT_EQ(parse_world(to_text(homeless)), homeless);
  for (const char* wrong : {"x", "2/2 n t", "-1/2 n t", "1 2", "a/2 n t", "1/b n t"}) {
    EXPECT_THROW(static_cast<void>(parse_world(wrong)), Error) << wrong;
  }
}

}  // namespace
}  // namespace gpucheck::harness
