#include <barrier>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "device/owned.hpp"
#include "device/sim/tests/fixture.hpp"

// Communicators of several processes: here several threads, each with a simulated machine of its own, which share
// nothing but the folder in which they meet.
namespace gpucheck::sim {
namespace {

using namespace std::chrono_literals;
using device::Collective;
using device::CollectiveKind;
using device::Communicator;
using device::CopyKind;
using device::ElementType;
using device::RankOperands;
using device::Result;
using device::Seats;
using device::Status;

constexpr std::size_t block = 8;

/// A process: its machine, and a rank on each of its devices.
class Process {
 public:
  Process(int first_rank, int devices, int size) : fixture_(0, devices), first_rank_(first_rank), size_(size) {
    for (int ordinal = 0; ordinal < devices; ++ordinal) {
      devices_.push_back(fixture_.driver().open(ordinal).value());
      device::Device& device = *devices_.back();
      ordinals_.push_back(ordinal);
      const std::size_t bytes = block * static_cast<std::size_t>(size) * sizeof(float);
      operands_.push_back({.sent = device.allocate(bytes).value(),
                           .received = device.allocate(bytes).value(),
                           .stream = device.create_stream(device::StreamKind::non_blocking, 0).value()});
    }
  }

  /// Where several processes meet.
  std::string open() { return devices_.front()->open_meeting().value(); }
  [[nodiscard]] Seats seats(const std::string& meeting, std::chrono::milliseconds patience = 20s) const {
    return {.meeting = meeting, .size = size_, .first_rank = first_rank_, .ordinals = ordinals_, .patience = patience};
  }
  Result<Communicator> join(const Seats& seats) { return devices_.front()->join_communicator(seats); }

  /// Element i of rank r is 100 r + i.
  void fill() {
    for (std::size_t own = 0; own < devices_.size(); ++own) {
      std::vector<float> values(block * static_cast<std::size_t>(size_));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(first_rank_ + static_cast<int>(own), i);
      copy(own, const_cast<void*>(operands_[own].sent), values.data(), values.size() * sizeof(float),
           CopyKind::host_to_device);
    }
  }
  static float value(int rank, std::size_t i) { return static_cast<float>(100 * static_cast<std::size_t>(rank) + i); }

  Status run(Communicator communicator, const Collective& collective) {
    return devices_.front()->communicate(communicator, collective, operands_);
  }
  std::vector<float> received(std::size_t own, std::size_t elements) {
    std::vector<float> values(elements);
    copy(own, values.data(), operands_[own].received, elements * sizeof(float), CopyKind::device_to_host);
    return values;
  }
  [[nodiscard]] std::size_t ranks() const { return devices_.size(); }
  [[nodiscard]] int first_rank() const { return first_rank_; }
  device::Device& device() { return *devices_.front(); }

 private:
  void copy(std::size_t own, void* to, const void* from, std::size_t bytes, CopyKind kind) {
    device::Device& device = *devices_[own];
    check(device.copy(to, from, bytes, kind, operands_[own].stream), "copy");
    check(device.synchronize(operands_[own].stream), "synchronize");
  }

  Fixture fixture_;
  int first_rank_;
  int size_;
  std::vector<std::unique_ptr<device::Device>> devices_;
  std::vector<int> ordinals_;
  std::vector<RankOperands> operands_;
};

using Part = std::function<void(Process&, Communicator)>;

/// What each process does, at the same time: processes of so many devices each.
void together(const std::vector<int>& devices, const Part& part) {
  int size = 0;
  for (const int own : devices) size += own;
  const std::string meeting = Process(0, 1, 1).open();
  std::vector<std::thread> threads;
  int first = 0;
  for (const int own : devices) {
    threads.emplace_back([=, &part] {
      Process process(first, own, size);
      const Result<Communicator> joined = process.join(process.seats(meeting));
      ASSERT_TRUE(joined.has_value()) << first;
      part(process, *joined);
      EXPECT_EQ(process.device().destroy_communicator(*joined), Status::success);
    });
    first += own;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(std::filesystem::exists(meeting)) << "the last to leave removes the folder";
}

TEST(SimulatedMeeting, AddsUpWhatTheRanksOfAllProcessesHave) {
  for (const std::vector<int>& devices : {std::vector{1, 1}, std::vector{1, 2, 1}, std::vector{3}}) {
    together(devices, [&](Process& process, Communicator communicator) {
      process.fill();
      ASSERT_EQ(process.run(communicator, {.count = block}), Status::success);
      int size = 0;
      for (const int own : devices) size += own;
      for (std::size_t own = 0; own < process.ranks(); ++own) {
        const std::vector<float> seen = process.received(own, block);
        for (std::size_t i = 0; i < block; ++i) {
          float sum = 0;
          for (int rank = 0; rank < size; ++rank) sum += Process::value(rank, i);
          ASSERT_EQ(seen[i], sum) << i;
        }
      }
      EXPECT_EQ(process.device().communicator_status(communicator), Status::success);
    });
  }
}

TEST(SimulatedMeeting, SendsEachRankItsOwnBlockOfEveryOther) {
  together({2, 1}, [](Process& process, Communicator communicator) {
    process.fill();
    ASSERT_EQ(process.run(communicator, {.kind = CollectiveKind::all_to_all, .count = block}), Status::success);
    for (std::size_t own = 0; own < process.ranks(); ++own) {
      const std::size_t rank = static_cast<std::size_t>(process.first_rank()) + own;
      const std::vector<float> seen = process.received(own, 3 * block);
      for (std::size_t i = 0; i < seen.size(); ++i) {
        ASSERT_EQ(seen[i], Process::value(static_cast<int>(i / block), rank * block + i % block)) << rank << " " << i;
      }
    }
  });
}

TEST(SimulatedMeeting, TakesTheRootOfAnotherProcess) {
  together({1, 1}, [](Process& process, Communicator communicator) {
    process.fill();
    const Collective broadcast{.kind = CollectiveKind::broadcast, .count = block, .root = 1};
    ASSERT_EQ(process.run(communicator, broadcast), Status::success);
    EXPECT_EQ(process.received(0, block).back(), Process::value(1, block - 1));
    const Collective beyond{.kind = CollectiveKind::broadcast, .count = block, .root = 2};
    EXPECT_EQ(process.run(communicator, beyond), Status::invalid_value);
  });
}

TEST(SimulatedMeeting, GoesOnForManyCollectives) {
  together({1, 1, 1}, [](Process& process, Communicator communicator) {
    for (int round = 0; round < 20; ++round) {
      process.fill();
      ASSERT_EQ(process.run(communicator, {.kind = CollectiveKind::send_receive, .count = block}), Status::success);
      ASSERT_EQ(process.received(0, 1).front(), Process::value((process.first_rank() + 2) % 3, 0)) << round;
    }
  });
}

TEST(SimulatedMeeting, SaysSoWhenSomebodyNeverComes) {
  Process process(0, 1, 2);
  const std::string meeting = process.open();
  const Result<Communicator> joined = process.join(process.seats(meeting, 50ms));
  EXPECT_EQ(status_of(joined), Status::not_ready);
  std::filesystem::remove_all(meeting);
}

TEST(SimulatedMeeting, FailsWhereSomebodyDoesNotTakePart) {
  std::barrier both_have_joined(2);
  std::barrier one_has_aborted(2);
  together({1, 1}, [&](Process& process, Communicator communicator) {
    both_have_joined.arrive_and_wait();
    if (process.first_rank() == 1) {
      EXPECT_EQ(process.device().abort_communicator(communicator), Status::success);
      EXPECT_EQ(process.run(communicator, {.count = block}), Status::illegal_state);
      EXPECT_EQ(process.device().communicator_status(communicator), Status::illegal_state);
      one_has_aborted.arrive_and_wait();
      return;
    }
    one_has_aborted.arrive_and_wait();
    process.fill();
    ASSERT_EQ(process.run(communicator, {.count = block}), Status::success) << "it is not known yet";
    static_cast<void>(process.received(0, 1));
    EXPECT_EQ(process.device().communicator_status(communicator), Status::unknown);
    EXPECT_FALSE(process.device().collective_problem().value().empty());
  });
}

TEST(SimulatedMeeting, FailsWhereSomebodyDoesSomethingElse) {
  together({1, 1}, [](Process& process, Communicator communicator) {
    process.fill();
    const auto kind = process.first_rank() == 0 ? CollectiveKind::all_reduce : CollectiveKind::all_gather;
    ASSERT_EQ(process.run(communicator, {.kind = kind, .count = block}), Status::success);
    static_cast<void>(process.received(0, 1));
    EXPECT_EQ(process.device().communicator_status(communicator), Status::unknown);
    EXPECT_NE(process.device().collective_problem().value().find("something else"), std::string::npos);
  });
}

TEST(SimulatedMeeting, RefusesWhatNobodyOpenedAndSeatsThatAreTaken) {
  Process process(0, 1, 2);
  EXPECT_EQ(status_of(process.join(process.seats("/tmp"))), Status::invalid_value);
  EXPECT_EQ(status_of(process.join(process.seats(""))), Status::invalid_value);
  const std::string meeting = process.open();
  EXPECT_EQ(status_of(process.join(process.seats(meeting, 0ms))), Status::invalid_value) << "no patience";
  EXPECT_EQ(status_of(process.join(process.seats(meeting, 1ms))), Status::not_ready);
  EXPECT_EQ(status_of(process.join(process.seats(meeting, 1ms))), Status::invalid_value) << "the seat is taken";
  std::filesystem::remove_all(meeting);
}

}  // namespace
}  // namespace gpucheck::sim
