#pragma once

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/driver.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"

namespace gpucheck::device {

void PrintTo(Status status, std::ostream* out);

/// What a call came back with, for calls that also give a value.
template <typename T>
Status status_of(const Result<T>& result) {
  return result.has_value() ? Status::success : result.error();
}

namespace contract {

/// A device under test.
struct Backend {
  std::string label;
  std::function<std::unique_ptr<Driver>()> make_driver;
  /// Hardware may be absent, and one process opens it only once.
  bool hardware = false;
};
void PrintTo(const Backend& backend, std::ostream* out);

/// Elements of device or pinned memory; freed at the end of the scope.
template <typename T, typename Owner>
class Array {
 public:
  Array(Device& device, Result<void*> pointer, std::size_t size) : memory_(own<Owner>(device, pointer)), size_(size) {}
  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.get()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }
  /// Only for pinned memory: the host cannot read a device's.
  [[nodiscard]] std::span<T> span() const { return {data(), size_}; }

 private:
  Owner memory_;
  std::size_t size_;
};
template <typename T>
using DeviceArray = Array<T, UniqueDeviceMemory>;
template <typename T>
using PinnedArray = Array<T, UniquePinnedMemory>;

/// Long enough that the host sees work unfinished that it has just started.
inline constexpr std::chrono::milliseconds busy{50};

/// Elements of the arrays that tests work on: with more of them a device is busy for longer.
inline constexpr std::size_t small_size = 1000;
inline constexpr std::size_t medium_size = 10'000;
inline constexpr std::size_t large_size = 100'000;

/// Asks until another answer than "not ready" comes, for some seconds at most: what never
/// becomes ready is a wrong answer, and no hang.
Status ask_until_ready(const std::function<Status()>& query);

/// Set-up and small verbs of every contract test. A verb that is not what the test is
/// about throws when it fails, which GoogleTest reports as a failure of the test.
class Contract : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override;
  /// Nothing may be left behind: no error, no unordered access, no device memory.
  void TearDown() override;

  Driver& driver() const { return *fixture_->driver; }
  /// Opened by the first use.
  Device& device() const;

  UniqueStream make_stream(StreamKind kind = StreamKind::non_blocking, int priority = 0) const;
  UniqueEvent make_event(EventKind kind = EventKind::no_timing) const;
  template <typename T>
  DeviceArray<T> make_array(std::size_t size) const {
    return {device(), device().allocate(size * sizeof(T)), size};
  }
  template <typename T>
  PinnedArray<T> make_pinned(std::size_t size) const {
    return {device(), device().allocate_pinned(size * sizeof(T)), size};
  }

  template <typename Functor>
  void run(const Functor& functor, std::size_t count, Stream stream) const {
    check(device::launch(device(), functor, count, stream), Functor::name);
  }
  template <typename Functor>
  void run(const Functor& functor, std::size_t count, const BlockShape& block, Stream stream) const {
    check(device::launch(device(), functor, count, block, stream), Functor::name);
  }
  void spin(Stream stream, std::chrono::milliseconds duration = busy) const;
  void record(const UniqueEvent& event, Stream stream) const { check(device().record(event.get(), stream), "record"); }
  void wait(Stream stream, const UniqueEvent& event) const { check(device().wait(stream, event.get()), "wait"); }
  void synchronize(Stream stream) const { check(device().synchronize(stream), "synchronize"); }

  /// The array's content after everything that `stream` was given so far.
  template <typename T, typename Owner>
  std::vector<T> read(const Array<T, Owner>& array, Stream stream) const {
    const auto landing = make_pinned<T>(array.size());
    check(device().copy(landing.data(), array.data(), array.bytes(), CopyKind::device_to_host, stream), "copy");
    synchronize(stream);
    return {landing.data(), landing.data() + landing.size()};
  }

  /// Captures what `work` gives to `stream`.
  UniqueGraph capture(Stream stream, const std::function<void()>& work) const;
  UniqueGraphExec instantiate(const UniqueGraph& graph) const;
  void launch(const UniqueGraphExec& executable, Stream stream) const;

 private:
  struct Fixture {
    std::unique_ptr<Driver> driver;
    std::unique_ptr<Device> device;
  };
  static std::shared_ptr<Fixture> fixture_for(const Backend& backend);

  std::shared_ptr<Fixture> fixture_;
};

/// Starts work that fails on the device: it writes where no memory is.
inline void write_nowhere(Device& device, Stream stream) {
  auto* const nowhere = reinterpret_cast<std::int32_t*>(std::uintptr_t{0x100});
  check(device::launch(device, kernels::Fill<std::int32_t>{nowhere, 1}, 1, stream), "fill");
}

/// What a test found wrong in a child process, where GoogleTest's expectations do not reach.
class Findings {
 public:
  void expect(Status seen, Status expected, std::string_view call);
  void expect(bool condition, std::string_view statement);
  void add(std::string finding) { found_.push_back(std::move(finding)); }
  /// Ends the process: code 0 when nothing was found, otherwise 1 with the findings on
  /// stderr. Runs no destructors: they would use a spoilt device.
  [[noreturn]] void exit() const;

 private:
  std::vector<std::string> found_;
};

/// Runs `body` in the process that EXPECT_EXIT started for it, and ends that process.
/// For what spoils a process or needs a fresh one.
[[noreturn]] void in_child(const std::function<void(Findings&)>& body);

#define GPUCHECK_EXPECT_IN_CHILD(...) EXPECT_EXIT(in_child(__VA_ARGS__), testing::ExitedWithCode(0), "")

}  // namespace contract
}  // namespace gpucheck::device

/// Puts devices under one suite.
#define GPUCHECK_INSTANTIATE_SUITE(prefix, suite, backends) \
  INSTANTIATE_TEST_SUITE_P(prefix, suite, backends, [](const auto& information) { return information.param.label; })
