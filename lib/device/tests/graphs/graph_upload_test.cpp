#include "device/tests/suites.hpp"

// cudaGraphUpload.
namespace gpucheck::device::contract {
namespace {

TEST_P(GraphUpload, RunsNothing) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  run(kernels::Fill<std::int32_t>{array.data(), 1}, medium_size, stream.get());
  const auto executable = instantiate(capture(stream.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 2}, medium_size, stream.get());
  }));
  EXPECT_EQ(device().upload(executable.get(), stream.get()), Status::success);
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 1));
  launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 2));
}

// "Each upload is ordered behind both any previous work in stream ..."
TEST_P(GraphUpload, ALaunchInAnotherStreamWaitsForIt) {
  const auto uploading = make_stream();
  const auto launching = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto executable = instantiate(capture(launching.get(), [&] {
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, medium_size, launching.get());
  }));
  synchronize(launching.get());
  spin(uploading.get());
  run(kernels::Fill<std::int32_t>{array.data(), 10}, medium_size, uploading.get());
  check(device().upload(executable.get(), uploading.get()), "upload");
  launch(executable, launching.get());
  EXPECT_EQ(device().query(launching.get()), Status::not_ready);
  EXPECT_EQ(read(array, launching.get()), std::vector<std::int32_t>(medium_size, 11));
}

// "... and any previous launches of graphExec."
TEST_P(GraphUpload, ComesAfterALaunchInAnotherStream) {
  const auto launching = make_stream();
  const auto uploading = make_stream();
  const auto executable = instantiate(capture(launching.get(), [&] { spin(launching.get()); }));
  launch(executable, launching.get());
  check(device().upload(executable.get(), uploading.get()), "upload");
  EXPECT_EQ(device().query(uploading.get()), Status::not_ready);
  synchronize(uploading.get());
  EXPECT_EQ(device().query(launching.get()), Status::success);
}

TEST_P(GraphUpload, InACapturingStreamInvalidatesTheCapture) {
  const auto stream = make_stream();
  const auto executable = instantiate(capture(stream.get(), [&] { spin(stream.get()); }));
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(device().upload(executable.get(), stream.get()), Status::stream_capture_unsupported);
  EXPECT_EQ(device().capture_info(stream.get()).value().status, CaptureStatus::invalidated);
  EXPECT_EQ(status_of(device().end_capture(stream.get())), Status::stream_capture_invalidated);
}

TEST_P(GraphUpload, IsAllowedWhileAnotherStreamCaptures) {
  const auto capturing = make_stream();
  const auto uploading = make_stream();
  const auto executable = instantiate(capture(uploading.get(), [&] { spin(uploading.get()); }));
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed}) {
    check(device().begin_capture(capturing.get(), mode), "begin_capture");
    EXPECT_EQ(device().upload(executable.get(), uploading.get()), Status::success);
    EXPECT_EQ(device().capture_info(capturing.get()).value().status, CaptureStatus::active);
    const auto graph = own<UniqueGraph>(device(), device().end_capture(capturing.get()));
  }
}

}  // namespace
}  // namespace gpucheck::device::contract
