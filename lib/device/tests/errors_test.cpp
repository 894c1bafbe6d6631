#include <thread>

#include "device/tests/suites.hpp"

// cudaGetLastError, cudaPeekAtLastError, cudaGetErrorString.
namespace gpucheck::device::contract {
namespace {

/// An error that spoils nothing.
Status provoke_error(Device& device) {
  int on_stack = 0;
  return device.free(&on_stack);
}

TEST_P(Errors, TheTableHasTheDevicesOwnWords) {
  for (int number = 0; number <= 10'000; ++number) {
    const auto status = static_cast<Status>(number);
    EXPECT_EQ(device().error_text(status), status_text(status)) << number;
  }
}

// cudaGetErrorString: "If the error code is not recognized, 'unrecognized error code'
// is returned."
TEST_P(Errors, AnUnknownCodeHasItsOwnWords) {
  EXPECT_EQ(device().error_text(static_cast<Status>(123456)), "unrecognized error code");
}

TEST_P(Errors, AFreshThreadHasNone) {
  std::jthread([&] {
    EXPECT_EQ(device().peek_last_error(), Status::success);
    EXPECT_EQ(device().last_error(), Status::success);
  }).join();
}

TEST_P(Errors, TheLastOneIsKeptUntilTaken) {
  ASSERT_EQ(provoke_error(device()), Status::invalid_value);
  EXPECT_EQ(device().last_error(), Status::invalid_value);
  EXPECT_EQ(device().last_error(), Status::success);
}

TEST_P(Errors, PeekingDoesNotTake) {
  ASSERT_EQ(provoke_error(device()), Status::invalid_value);
  EXPECT_EQ(device().peek_last_error(), Status::invalid_value);
  EXPECT_EQ(device().peek_last_error(), Status::invalid_value);
  EXPECT_EQ(device().last_error(), Status::invalid_value);
  EXPECT_EQ(device().peek_last_error(), Status::success);
}

TEST_P(Errors, ASuccessfulCallDoesNotClearIt) {
  ASSERT_EQ(provoke_error(device()), Status::invalid_value);
  ASSERT_EQ(device().synchronize(), Status::success);
  EXPECT_EQ(device().last_error(), Status::invalid_value);
}

TEST_P(Errors, ALaterErrorReplacesAnEarlierOne) {
  ASSERT_EQ(provoke_error(device()), Status::invalid_value);
  ASSERT_EQ(status_of(device().allocate(device().properties().total_memory_bytes * 2)), Status::out_of_memory);
  EXPECT_EQ(device().last_error(), Status::out_of_memory);
}

// "... by any of the runtime calls in the host thread."
TEST_P(Errors, EachThreadHasItsOwn) {
  ASSERT_EQ(provoke_error(device()), Status::invalid_value);
  std::jthread([&] { EXPECT_EQ(device().last_error(), Status::success); }).join();
  EXPECT_EQ(device().last_error(), Status::invalid_value);
}

// Programming guide, "Error checking": cudaErrorNotReady of cudaStreamQuery and
// cudaEventQuery is not considered an error and is not reported by
// cudaPeekAtLastError or cudaGetLastError.
TEST_P(Errors, NotReadyIsNone) {
  const auto stream = make_stream();
  const auto event = make_event();
  spin(stream.get());
  record(event, stream.get());
  ASSERT_EQ(device().query(stream.get()), Status::not_ready);
  ASSERT_EQ(device().query(event.get()), Status::not_ready);
  EXPECT_EQ(device().last_error(), Status::success);
  synchronize(stream.get());
}

TEST_P(Errors, OutOfMemoryIsTheLastErrorOnce) {
  ASSERT_EQ(status_of(device().allocate(device().properties().total_memory_bytes * 2)), Status::out_of_memory);
  EXPECT_EQ(device().last_error(), Status::out_of_memory);
  EXPECT_EQ(device().last_error(), Status::success);
  EXPECT_EQ(device().synchronize(), Status::success);
}

TEST_P(Errors, ThrownErrorsNameTheVendorsWordsAndTheCall) {
  try {
    check(provoke_error(device()), "free");
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.status(), Status::invalid_value);
    EXPECT_STREQ(error.what(), "CUDA error: invalid argument (cudaErrorInvalidValue from free)");
  }
}

}  // namespace
}  // namespace gpucheck::device::contract
