#include <atomic>
#include <thread>

#include "device/tests/suites.hpp"

// cudaErrorAssert and cudaErrorIllegalAddress: any further work returns the same
// error; the process must be relaunched. Each test therefore runs in a child.
namespace gpucheck::device::contract {
namespace {

constexpr std::int32_t limit = 3;

/// Launches a kernel whose assert fails.
void fail_an_assert(Device& device, const std::int32_t* value, Stream stream) {
  check(device::launch(device, kernels::RequireBelow{value, limit}, 1, stream), "require_below");
}

/// Launches a kernel that writes where nothing was ever allocated.
/// Every call that can meet the error must return it.
void expect_everywhere(Findings& found, Device& device, Status status, Stream stream, Event event) {
  found.expect(device.synchronize(), status, "synchronize the device");
  found.expect(device.synchronize(stream), status, "synchronize a stream");
  found.expect(device.query(stream), status, "query a stream");
  found.expect(device.synchronize(event), status, "synchronize an event");
  found.expect(device::launch(device, kernels::Spin{1}, 1, stream), status, "launch");
  found.expect(status_of(device.allocate(1024)), status, "allocate");
  found.expect(status_of(device.create_stream(StreamKind::blocking, 0)), status, "create_stream");
  found.expect(status_of(device.memory_info()), status, "memory_info");
  found.expect(device.synchronize(), status, "synchronize the device again");
}

TEST_P(StickyErrors, AFailedAssertIsReturnedByEveryLaterCall) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto stream = make_stream();
    const auto event = make_event();
    const auto value = make_array<std::int32_t>(1);
    run(kernels::Fill<std::int32_t>{value.data(), limit}, 1, stream.get());
    fail_an_assert(device(), value.data(), stream.get());
    record(event, stream.get());
    expect_everywhere(found, device(), Status::assertion, stream.get(), event.get());
  });
}

// Programming guide, "Assertion": a line with the expression goes to stderr.
TEST_P(StickyErrors, AFailedAssertPrintsItsExpression) {
  const auto body = [&](Findings& found) {
    const auto value = make_array<std::int32_t>(1);
    run(kernels::Fill<std::int32_t>{value.data(), limit}, 1, legacy_default_stream);
    fail_an_assert(device(), value.data(), legacy_default_stream);
    found.expect(device().synchronize(), Status::assertion, "synchronize");
  };
  EXPECT_EXIT(in_child(body), testing::ExitedWithCode(0),
              "elementwise.hpp:[0-9]+: .*Assertion .in\\[thread.index\\] < limit. failed");
}

TEST_P(StickyErrors, AnAssertThatHoldsChangesNothing) {
  const auto stream = make_stream();
  const auto value = make_array<std::int32_t>(1);
  run(kernels::Fill<std::int32_t>{value.data(), limit - 1}, 1, stream.get());
  fail_an_assert(device(), value.data(), stream.get());
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

TEST_P(StickyErrors, AnIllegalAddressIsReturnedByEveryLaterCall) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto stream = make_stream();
    const auto event = make_event();
    write_nowhere(device(), stream.get());
    record(event, stream.get());
    expect_everywhere(found, device(), Status::illegal_address, stream.get(), event.get());
  });
}

// As an H200 answers: what concerns the host's copy of a graph alone goes on.
TEST_P(StickyErrors, GraphsAreStillCountedAndUpdated) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto stream = make_stream();
    const auto array = make_array<std::int32_t>(1);
    const auto graph = capture(stream.get(), [&] {
      run(kernels::Fill<std::int32_t>{array.data(), 1}, 1, stream.get());
    });
    const auto executable = instantiate(graph);
    write_nowhere(device(), stream.get());
    found.expect(device().synchronize(), Status::illegal_address, "synchronize the device");
    found.expect(status_of(device().node_count(graph.get())), Status::success, "node_count");
    found.expect(device().update(executable.get(), graph.get()), Status::success, "update");
    found.expect(device().launch(executable.get(), stream.get()), Status::illegal_address, "launch the graph");
  });
}

// The launch itself is asynchronous and succeeds; the error shows at a later call.
TEST_P(StickyErrors, TheLaunchItselfSucceeds) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto stream = make_stream();
    spin(stream.get());
    auto* const nowhere = reinterpret_cast<std::int32_t*>(std::uintptr_t{0x100});
    found.expect(device::launch(device(), kernels::Fill<std::int32_t>{nowhere, 1}, 1, stream.get()), Status::success,
                 "launch");
    found.expect(device().query(stream.get()), Status::not_ready, "query before the kernel ran");
    found.expect(device().synchronize(stream.get()), Status::illegal_address, "synchronize");
  });
}

TEST_P(StickyErrors, OtherStreamsMeetTheErrorToo) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto guilty = make_stream();
    const auto innocent = make_stream();
    write_nowhere(device(), guilty.get());
    found.expect(device().synchronize(guilty.get()), Status::illegal_address, "synchronize the guilty stream");
    found.expect(device().synchronize(innocent.get()), Status::illegal_address, "synchronize the other stream");
    found.expect(device::launch(device(), kernels::Spin{1}, 1, innocent.get()), Status::illegal_address, "launch");
  });
}

TEST_P(StickyErrors, OtherThreadsMeetTheErrorToo) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    write_nowhere(device(), legacy_default_stream);
    found.expect(device().synchronize(), Status::illegal_address, "synchronize");
    std::jthread([&] {
      found.expect(device().synchronize(), Status::illegal_address, "synchronize in another thread");
      found.expect(status_of(device().allocate(64)), Status::illegal_address, "allocate in another thread");
    }).join();
  });
}

TEST_P(StickyErrors, TakingTheLastErrorDoesNotCureTheDevice) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    write_nowhere(device(), legacy_default_stream);
    found.expect(device().synchronize(), Status::illegal_address, "synchronize");
    found.expect(device().peek_last_error(), Status::illegal_address, "peek_last_error");
    found.expect(device().last_error(), Status::illegal_address, "last_error");
    found.expect(device().synchronize(), Status::illegal_address, "synchronize again");
    found.expect(device().last_error(), Status::illegal_address, "last_error again");
  });
}

TEST_P(StickyErrors, TheWordsAreStillThereAfterwards) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    write_nowhere(device(), legacy_default_stream);
    found.expect(device().synchronize(), Status::illegal_address, "synchronize");
    found.expect(device().error_text(Status::illegal_address) == "an illegal memory access was encountered",
                 "error_text gives the vendor's words");
  });
}

// cudaLaunchHostFunc: "the function will not be called in the event of an error in the
// CUDA context".
TEST_P(StickyErrors, HostFunctionsBehindTheErrorAreNotCalled) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    static std::atomic<bool> called{false};
    spin(legacy_default_stream);
    write_nowhere(device(), legacy_default_stream);
    check(device().host_callback(
              legacy_default_stream, [](void*) { called = true; }, nullptr),
          "host_callback");
    found.expect(device().synchronize(), Status::illegal_address, "synchronize");
    found.expect(!called, "the host function was not called");
  });
}

TEST_P(StickyErrors, AnAssertInAGraphIsStickyToo) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    const auto stream = make_stream();
    const auto value = make_array<std::int32_t>(1);
    run(kernels::Fill<std::int32_t>{value.data(), limit}, 1, stream.get());
    const auto executable =
        instantiate(capture(stream.get(), [&] { fail_an_assert(device(), value.data(), stream.get()); }));
    found.expect(device().launch(executable.get(), stream.get()), Status::success, "launch");
    found.expect(device().synchronize(stream.get()), Status::assertion, "synchronize");
    found.expect(device().launch(executable.get(), stream.get()), Status::assertion, "launch again");
  });
}

TEST_P(StickyErrors, AnotherProcessIsNotConcerned) {
  GPUCHECK_EXPECT_IN_CHILD([&](Findings& found) {
    write_nowhere(device(), legacy_default_stream);
    found.expect(device().synchronize(), Status::illegal_address, "synchronize");
  });
  const auto array = make_array<std::int32_t>(100);
  run(kernels::Fill<std::int32_t>{array.data(), 1}, 100, legacy_default_stream);
  EXPECT_EQ(read(array, legacy_default_stream), std::vector<std::int32_t>(100, 1));
}

}  // namespace
}  // namespace gpucheck::device::contract
