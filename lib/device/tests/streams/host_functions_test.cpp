#include <atomic>
#include <mutex>

#include "device/tests/suites.hpp"

// cudaLaunchHostFunc: "called after currently enqueued work and will block work added
// after it".
namespace gpucheck::device::contract {
namespace {

void set_flag(void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); }

/// Notes in which order its entries were called.
struct Journal {
  struct Entry {
    Journal* journal;
    int number;
  };
  static void write(void* argument) {
    const auto* const entry = static_cast<Entry*>(argument);
    const std::scoped_lock lock(entry->journal->mutex);
    entry->journal->numbers.push_back(entry->number);
  }
  std::vector<int> so_far() {
    const std::scoped_lock lock(mutex);
    return numbers;
  }
  std::mutex mutex;
  std::vector<int> numbers;
};

TEST_P(HostFunctions, AreCalledWithTheirArgument) {
  const auto stream = make_stream();
  std::atomic<bool> called{false};
  ASSERT_EQ(device().host_callback(stream.get(), set_flag, &called), Status::success);
  synchronize(stream.get());
  EXPECT_TRUE(called);
}

TEST_P(HostFunctions, WaitForTheWorkBeforeThem) {
  const auto stream = make_stream();
  std::atomic<bool> called{false};
  spin(stream.get());
  ASSERT_EQ(device().host_callback(stream.get(), set_flag, &called), Status::success);
  EXPECT_FALSE(called);
  synchronize(stream.get());
  EXPECT_TRUE(called);
}

TEST_P(HostFunctions, AreDoneBeforeTheWorkAfterThem) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(1);
  const auto source = make_pinned<std::int32_t>(1);
  source.span()[0] = 1;
  const auto change = [](void* argument) { *static_cast<std::int32_t*>(argument) = 2; };
  spin(stream.get());
  ASSERT_EQ(device().host_callback(stream.get(), change, source.data()), Status::success);
  check(device().copy(array.data(), source.data(), sizeof(std::int32_t), CopyKind::host_to_device, stream.get()),
        "copy");
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>{2});
}

TEST_P(HostFunctions, OfOneStreamAreCalledInOrder) {
  const auto stream = make_stream();
  Journal journal;
  std::vector<Journal::Entry> entries;
  for (int i = 0; i < 20; ++i) entries.push_back({&journal, i});
  std::vector<int> expected;
  for (Journal::Entry& entry : entries) {
    ASSERT_EQ(device().host_callback(stream.get(), Journal::write, &entry), Status::success);
    expected.push_back(entry.number);
  }
  synchronize(stream.get());
  EXPECT_EQ(journal.numbers, expected);
}

TEST_P(HostFunctions, OfTwoStreamsAreOrderedByAnEvent) {
  const auto first = make_stream();
  const auto second = make_stream();
  const auto event = make_event();
  Journal journal;
  Journal::Entry one{&journal, 1};
  Journal::Entry two{&journal, 2};
  spin(first.get());
  ASSERT_EQ(device().host_callback(first.get(), Journal::write, &one), Status::success);
  record(event, first.get());
  wait(second.get(), event);
  ASSERT_EQ(device().host_callback(second.get(), Journal::write, &two), Status::success);
  synchronize(second.get());
  const std::vector<int> seen = journal.so_far();
  synchronize(first.get());  // were nothing ordered, a function would still be about to write
  EXPECT_EQ(seen, (std::vector<int>{1, 2}));
}

TEST_P(HostFunctions, SeeTheDevicesWork) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(1000);
  const auto landing = make_pinned<std::int32_t>(1000);
  struct Sum {
    std::span<const std::int32_t> values;
    std::atomic<std::int64_t> total{0};
  } sum{.values = landing.span()};
  const auto add_up = [](void* argument) {
    auto* const request = static_cast<Sum*>(argument);
    for (const std::int32_t value : request->values) request->total += value;
  };
  run(kernels::Fill<std::int32_t>{array.data(), 3}, array.size(), stream.get());
  check(device().copy(landing.data(), array.data(), array.bytes(), CopyKind::device_to_host, stream.get()), "copy");
  ASSERT_EQ(device().host_callback(stream.get(), add_up, &sum), Status::success);
  synchronize(stream.get());
  EXPECT_EQ(sum.total, 3000);
}

}  // namespace
}  // namespace gpucheck::device::contract
