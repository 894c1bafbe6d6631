#include <array>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>

#include "device/libraries/collective.hpp"
#include "device/tests/suites.hpp"

// Collectives. On one device there is one rank, with which each is a copy; with two, what each is for.
namespace gpucheck::device::contract {
namespace {

constexpr std::size_t count = small_size;

/// Devices that communicate: as many as there are, two at the most.
struct Clique {
  explicit Clique(Driver& driver) {
    const int found = std::min(driver.device_count().value(), 2);
    for (int ordinal = 0; ordinal < found; ++ordinal) {
      devices.push_back(driver.open(ordinal).value());
      ordinals.push_back(ordinal);
      Device& device = *devices.back();
      streams.push_back(own<UniqueStream>(device, device.create_stream(StreamKind::non_blocking, 0)));
      sent.push_back(own<UniqueDeviceMemory>(device, device.allocate(2 * count * sizeof(float))));
      received.push_back(own<UniqueDeviceMemory>(device, device.allocate(2 * count * sizeof(float))));
      operands.push_back({sent.back().get(), received.back().get(), streams.back().get()});
    }
    communicator = UniqueCommunicator(*devices.front(), devices.front()->create_communicator(ordinals).value());
  }
  Clique(const Clique&) = delete;
  Clique& operator=(const Clique&) = delete;
  ~Clique() {
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
      EXPECT_EQ(devices[rank]->synchronize(streams[rank].get()), Status::success);
    }
  }

  [[nodiscard]] std::size_t ranks() const { return devices.size(); }
  Status run(const Collective& collective) {
    return devices.front()->communicate(communicator.get(), collective, operands);
  }
  /// Element i of rank r is 1000 r + i + 1.
  void fill() {
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      std::vector<float> values(2 * count);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(rank, i);
      check(devices[rank]->copy(sent[rank].get(), values.data(), values.size() * sizeof(float),
                                CopyKind::host_to_device, streams[rank].get()),
            "copy");
      check(devices[rank]->synchronize(streams[rank].get()), "synchronize");
    }
  }
  static float value(std::size_t rank, std::size_t i) { return static_cast<float>(1000 * rank + i + 1); }
  std::vector<float> arrived(std::size_t rank, std::size_t elements) {
    std::vector<float> values(elements);
    check(devices[rank]->copy(values.data(), received[rank].get(), elements * sizeof(float), CopyKind::device_to_host,
                              streams[rank].get()),
          "copy");
    check(devices[rank]->synchronize(streams[rank].get()), "synchronize");
    return values;
  }

  std::vector<std::unique_ptr<Device>> devices;
  std::vector<int> ordinals;
  std::vector<UniqueStream> streams;
  std::vector<UniqueDeviceMemory> sent;
  std::vector<UniqueDeviceMemory> received;
  std::vector<RankOperands> operands;
  UniqueCommunicator communicator;
};

TEST_P(Collectives, AllReduceAddsUpWhatAllHave) {
  Clique clique(driver());
  clique.fill();
  ASSERT_EQ(clique.run({.kind = CollectiveKind::all_reduce, .count = count}), Status::success);
  for (std::size_t rank = 0; rank < clique.ranks(); ++rank) {
    const std::vector<float> seen = clique.arrived(rank, count);
    for (std::size_t i = 0; i < count; ++i) {
      float sum = 0;
      for (std::size_t from = 0; from < clique.ranks(); ++from) sum += Clique::value(from, i);
      ASSERT_EQ(seen[i], sum) << rank << " " << i;
    }
  }
  EXPECT_EQ(clique.devices.front()->communicator_status(clique.communicator.get()), Status::success);
}

TEST_P(Collectives, AllReduceTakesTheLeastAndTheGreatest) {
  Clique clique(driver());
  clique.fill();
  const std::size_t last = clique.ranks() - 1;
  ASSERT_EQ(clique.run({.count = count, .reduction = Reduction::minimum}), Status::success);
  EXPECT_EQ(clique.arrived(last, count).back(), Clique::value(0, count - 1));
  ASSERT_EQ(clique.run({.count = count, .reduction = Reduction::maximum}), Status::success);
  EXPECT_EQ(clique.arrived(0, count).back(), Clique::value(last, count - 1));
}

TEST_P(Collectives, AllGatherBringsAllBlocksToAll) {
  Clique clique(driver());
  clique.fill();
  ASSERT_EQ(clique.run({.kind = CollectiveKind::all_gather, .count = count}), Status::success);
  for (std::size_t rank = 0; rank < clique.ranks(); ++rank) {
    const std::vector<float> seen = clique.arrived(rank, clique.ranks() * count);
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], Clique::value(i / count, i % count));
  }
}

TEST_P(Collectives, ReduceScatterLeavesEachRankItsSum) {
  Clique clique(driver());
  clique.fill();
  ASSERT_EQ(clique.run({.kind = CollectiveKind::reduce_scatter, .count = count}), Status::success);
  for (std::size_t rank = 0; rank < clique.ranks(); ++rank) {
    const std::vector<float> seen = clique.arrived(rank, count);
    for (std::size_t i = 0; i < count; ++i) {
      float sum = 0;
      for (std::size_t from = 0; from < clique.ranks(); ++from) sum += Clique::value(from, rank * count + i);
      ASSERT_EQ(seen[i], sum);
    }
  }
}

TEST_P(Collectives, BroadcastBringsTheRootsBlockToAll) {
  Clique clique(driver());
  clique.fill();
  const std::size_t root = clique.ranks() - 1;
  ASSERT_EQ(clique.run({.kind = CollectiveKind::broadcast, .count = count, .root = static_cast<int>(root)}),
            Status::success);
  for (std::size_t rank = 0; rank < clique.ranks(); ++rank) {
    const std::vector<float> seen = clique.arrived(rank, count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], Clique::value(root, i));
  }
}

TEST_P(Collectives, AllToAllBringsEachItsBlocks) {
  Clique clique(driver());
  clique.fill();
  ASSERT_EQ(clique.run({.kind = CollectiveKind::all_to_all, .count = count}), Status::success);
  for (std::size_t rank = 0; rank < clique.ranks(); ++rank) {
    const std::vector<float> seen = clique.arrived(rank, clique.ranks() * count);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i], Clique::value(i / count, rank * count + i % count));
    }
  }
}

TEST_P(Collectives, SendReceiveGoesToTheNextInACircle) {
  Clique clique(driver());
  clique.fill();
  ASSERT_EQ(clique.run({.kind = CollectiveKind::send_receive, .count = count, .distance = 1}), Status::success);
  for (std::size_t rank = 0; rank < clique.ranks(); ++rank) {
    const std::vector<float> seen = clique.arrived(rank, count);
    const std::size_t from = (rank + clique.ranks() - 1) % clique.ranks();
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], Clique::value(from, i));
  }
}

TEST_P(Collectives, WaitForWhatEachStreamWasGivenBefore) {
  Clique clique(driver());
  clique.fill();
  const std::size_t last = clique.ranks() - 1;
  Device& slow = *clique.devices[last];
  check(device::launch(slow, kernels::Spin{std::uint64_t{20'000'000}}, 1, clique.streams[last].get()), "spin");
  auto* const late = static_cast<float*>(clique.sent[last].get());
  check(device::launch(slow, kernels::Fill<float>{late, 7}, count, clique.streams[last].get()), "fill");
  ASSERT_EQ(clique.run({.kind = CollectiveKind::broadcast, .count = count, .root = static_cast<int>(last)}),
            Status::success);
  EXPECT_EQ(clique.arrived(0, count), std::vector<float>(count, 7));
}

TEST_P(Collectives, RefuseWhatMakesNoSense) {
  Clique clique(driver());
  Device& leader = *clique.devices.front();
  EXPECT_EQ(clique.run({.count = 0}), Status::invalid_value);
  EXPECT_EQ(clique.run({.kind = CollectiveKind::broadcast, .count = 1, .root = 2}), Status::invalid_value);
  EXPECT_EQ(clique.run({.type = ElementType::fp8_e4m3, .count = 1}), Status::not_supported);
  std::vector<RankOperands> wrong = clique.operands;
  wrong.front().received = clique.sent.front().get();
  EXPECT_EQ(leader.communicate(clique.communicator.get(), {.count = 1}, wrong), Status::invalid_value);
  wrong.pop_back();
  EXPECT_EQ(leader.communicate(clique.communicator.get(), {.count = 1}, wrong), Status::invalid_value);
  EXPECT_EQ(leader.communicate(Communicator{~std::uintptr_t{0}}, {.count = 1}, clique.operands),
            Status::invalid_resource_handle);
  EXPECT_EQ(leader.communicator_status(Communicator{~std::uintptr_t{0}}), Status::invalid_resource_handle);
  EXPECT_EQ(leader.destroy_communicator(Communicator{~std::uintptr_t{0}}), Status::invalid_resource_handle);
}

TEST_P(Collectives, CommunicatorsAreOfDevicesThatThereAre) {
  EXPECT_EQ(status_of(device().create_communicator({0, 0})), Status::invalid_value);
  EXPECT_EQ(status_of(device().create_communicator({})), Status::invalid_value);
  EXPECT_EQ(status_of(device().create_communicator({0, 1000})), Status::invalid_device);
}

TEST_P(Collectives, AreNotCaptured) {
  Clique clique(driver());
  Device& leader = *clique.devices.front();
  const Stream stream = clique.streams.front().get();
  check(leader.begin_capture(stream, CaptureMode::thread_local_), "begin_capture");
  EXPECT_EQ(clique.run({.count = 1}), Status::stream_capture_unsupported);
  const UniqueGraph graph(leader, leader.end_capture(stream).value());
}

// All ranks of the communicator are this process's own; several processes are tried by the cases fabric.*.
TEST_P(Collectives, AJoinedCommunicatorDoesWhatACreatedOneDoes) {
  Clique clique(driver());
  Device& device = *clique.devices.front();
  const Seats seats{.meeting = device.open_meeting().value(),
                    .size = static_cast<int>(clique.ranks()),
                    .first_rank = 0,
                    .ordinals = clique.ordinals,
                    .patience = std::chrono::seconds(60)};
  clique.communicator = UniqueCommunicator(device, device.join_communicator(seats).value());
  clique.fill();
  ASSERT_EQ(clique.run({.count = count}), Status::success);
  const std::vector<float> seen = clique.arrived(0, count);
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (std::size_t from = 0; from < clique.ranks(); ++from) sum += Clique::value(from, i);
    ASSERT_EQ(seen[i], sum) << i;
  }
  EXPECT_EQ(device.communicator_status(clique.communicator.get()), Status::success);
}

TEST_P(Collectives, ARankThatNeverComesIsGivenUp) {
  Clique clique(driver());
  Device& device = *clique.devices.front();
  const Seats seats{.meeting = device.open_meeting().value(),
                    .size = static_cast<int>(clique.ranks()) + 1,
                    .first_rank = 0,
                    .ordinals = clique.ordinals,
                    .patience = std::chrono::milliseconds(300)};
  EXPECT_EQ(status_of(device.join_communicator(seats)), Status::not_ready);
  EXPECT_EQ(clique.run({.count = count}), Status::success) << "others go on";
}

TEST_P(Collectives, AnAbortedCommunicatorIsRefused) {
  Clique clique(driver());
  Device& device = *clique.devices.front();
  EXPECT_EQ(device.abort_communicator(clique.communicator.get()), Status::success);
  EXPECT_EQ(clique.run({.count = count}), Status::illegal_state);
  EXPECT_EQ(device.communicator_status(clique.communicator.get()), Status::illegal_state);
  EXPECT_EQ(device.abort_communicator(clique.communicator.get()), Status::success) << "once more";
  EXPECT_EQ(device.abort_communicator(Communicator{~std::uintptr_t{0}}), Status::invalid_resource_handle);
}

TEST_P(Collectives, AMeetingThatNobodyOpenedIsRefused) {
  Clique clique(driver());
  Seats seats{.meeting = "nowhere",
              .size = static_cast<int>(clique.ranks()),
              .first_rank = 0,
              .ordinals = clique.ordinals,
              .patience = std::chrono::milliseconds(300)};
  EXPECT_EQ(status_of(clique.devices.front()->join_communicator(seats)), Status::invalid_value);
  seats.ordinals = {1000};
  EXPECT_EQ(status_of(clique.devices.front()->join_communicator(seats)), Status::invalid_device);
}

}  // namespace

void Collectives::SetUp() {
  Contract::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  const VendorLibrary library = device().collective_library().value();
  if (!library.problem.empty()) GTEST_SKIP() << library.problem;
}

}  // namespace gpucheck::device::contract
