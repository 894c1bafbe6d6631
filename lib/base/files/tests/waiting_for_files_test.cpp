#include "base/files/waiting_for_files.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <pty.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "temporary_folder.hpp"

namespace gpucheck {
namespace {

/// The order to end, which comes when it is asked to.
class Order {
 public:
  Order() {
    listen_for_end({.descriptor = event_, .signal = [] { return SIGTERM; }});
  }
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;
  ~Order() {
    listen_for_end({});
    ::close(event_);
  }
  void come() const {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(event_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }

 private:
  int event_ = ::eventfd(0, EFD_CLOEXEC);
};

/// The signal that ended the wait; 0 when nothing did.
int ended_by(const std::function<void()>& wait) {
  const Order order;
  std::thread sender([&order] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    order.come();
  });
  int signal = 0;
  try {
    wait();
  } catch (const InterruptedError& interrupted) {
    signal = interrupted.signal();
  }
  sender.join();
  return signal;
}

class WaitingForFiles : public testing::Test {
 protected:
  WaitingForFiles() { EXPECT_EQ(::mkfifo(fifo_.c_str(), 0600), 0); }

  TemporaryFolder folder_;
  std::string fifo_ = folder_.file("fifo");
};

TEST_F(WaitingForFiles, TheWriterOfAFifoIsNotWaitedForBeyondTheOrder) {
  EXPECT_EQ(ended_by([&] { static_cast<void>(read_input_file(fifo_, "waivers")); }), SIGTERM);
}

TEST_F(WaitingForFiles, NorIsAWriterThatWritesNoMore) {
  const int writer = ::open(fifo_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::write(writer, "some", 4), 4);
  EXPECT_EQ(ended_by([&] { static_cast<void>(read_input_file(fifo_, "waivers")); }), SIGTERM);
  ::close(writer);
}

TEST_F(WaitingForFiles, NorIsAFileThatNeverEnds) {
  EXPECT_EQ(ended_by([] {
              std::array<char, 4096> buffer;
              const int zero = open_for_reading("/dev/zero");
              while (read_when_ready(zero, buffer.data(), buffer.size(), "/dev/zero") > 0) {
              }
            }),
            SIGTERM);
}

TEST_F(WaitingForFiles, NorIsTheReaderOfAnOutput) {
  EXPECT_EQ(ended_by([&] { const OutputFile file(fifo_, "report"); }), SIGTERM);
}

/// As much as a full pipe or terminal does not take.
const std::string long_text(200'000, 'x');

TEST_F(WaitingForFiles, NorIsAReaderThatReadsNoMore) {
  const int reader = ::open(fifo_.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(ended_by([&] { OutputFile(fifo_, "report").commit(long_text); }), SIGTERM);
  ::close(reader);
}

TEST_F(WaitingForFiles, NorIsATerminalThatShowsNothing) {
  int shown = -1;
  int terminal = -1;
  ASSERT_EQ(::openpty(&shown, &terminal, nullptr, nullptr, nullptr), 0);
  EXPECT_EQ(ended_by([&] { static_cast<void>(write_when_ready(terminal, long_text, "the terminal")); }), SIGTERM);
  std::FILE* const stream = ::fdopen(terminal, "w");
  EXPECT_EQ(ended_by([&] { write_when_ready(stream, long_text, "the terminal"); }), SIGTERM);
  ::close(shown);
  std::fclose(stream);
}

TEST_F(WaitingForFiles, ASlowReaderGetsAllAfterTheOrder) {
  const Order order;
  order.come();
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  std::string got;
  std::thread reader([&] {
    std::array<char, 30'000> buffer;
    for (ssize_t count = 1; count > 0;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
      count = ::read(ends[0], buffer.data(), buffer.size());
      if (count > 0) got.append(buffer.data(), static_cast<std::size_t>(count));
    }
  });
  EXPECT_TRUE(write_when_ready(ends[1], long_text, "a pipe"));
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  EXPECT_EQ(got, long_text);
}

TEST_F(WaitingForFiles, AnOrderThatHasComeEndsTheNextWaitAtOnce) {
  const Order order;
  order.come();
  EXPECT_THROW(static_cast<void>(read_input_file(fifo_, "waivers")), InterruptedError);
}

TEST_F(WaitingForFiles, AFifoIsReadToItsEndAndWrittenToWithoutAnOrder) {
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    OutputFile(fifo_, "report").commit("text");
  });
  EXPECT_EQ(read_input_file(fifo_, "waivers"), "text");
  writer.join();
}

TEST_F(WaitingForFiles, AWriterThatLeavesWithoutAWordIsTheEnd) {
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::close(::open(fifo_.c_str(), O_WRONLY | O_CLOEXEC));
  });
  EXPECT_EQ(read_input_file(fifo_, "waivers"), "");
  writer.join();
}

}  // namespace
}  // namespace gpucheck
