#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/sim/sim_driver.hpp"

/// A simulated machine to try things on, with short verbs that throw when a call fails.
namespace gpucheck::sim {

/// What a call came back with, for calls that also give a value.
template <typename T>
device::Status status_of(const device::Result<T>& result) {
  return result ? device::Status::success : result.error();
}

/// Sets an environment variable for a scope.
class Environment {
 public:
  Environment(std::string_view name, const std::string& value) : name_(name) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { ::unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

class Fixture {
 public:
  explicit Fixture(std::uint64_t seed = 0, int device_count = 1, std::string_view profile_name = "small")
      : driver_(make_driver({.profile = profile(profile_name), .seed = seed, .device_count = device_count})),
        device_(driver_->open(0).value()) {}

  [[nodiscard]] Driver& driver() const { return *driver_; }
  [[nodiscard]] device::Device& device() const { return *device_; }

  [[nodiscard]] device::Stream stream(device::StreamKind kind = device::StreamKind::non_blocking) const {
    return device_->create_stream(kind, 0).value();
  }
  [[nodiscard]] device::Event event() const { return device_->create_event(device::EventKind::no_timing).value(); }
  template <typename T = std::int32_t>
  [[nodiscard]] T* memory(std::size_t count) const {
    return static_cast<T*>(device_->allocate(count * sizeof(T)).value());
  }
  template <typename T = std::int32_t>
  [[nodiscard]] T* pinned(std::size_t count) const {
    return static_cast<T*>(device_->allocate_pinned(count * sizeof(T)).value());
  }

  void iota(std::int32_t* out, std::size_t count, device::Stream stream, std::int32_t start = 0) const {
    run(device::kernels::Iota<std::int32_t>{out, start}, count, stream);
  }
  void fill(std::int32_t* out, std::int32_t value, std::size_t count, device::Stream stream) const {
    run(device::kernels::Fill<std::int32_t>{out, value}, count, stream);
  }
  void add(const std::int32_t* in, std::int32_t* out, std::size_t count, device::Stream stream) const {
    run(device::kernels::AddScalar<std::int32_t>{in, out, 1}, count, stream);
  }
  template <typename Functor>
  void run(const Functor& functor, std::size_t count, device::Stream stream) const {
    check(device::launch(*device_, functor, count, stream), Functor::name);
  }
  template <typename Functor>
  void run(const Functor& functor, std::size_t count, const device::BlockShape& block, device::Stream stream) const {
    check(device::launch(*device_, functor, count, block, stream), Functor::name);
  }
  void copy(void* destination, const void* source, std::size_t bytes, device::CopyKind kind,
            device::Stream stream) const {
    check(device_->copy(destination, source, bytes, kind, stream), "copy");
  }
  void record(device::Event event, device::Stream stream) const { check(device_->record(event, stream), "record"); }
  void wait(device::Stream stream, device::Event event) const { check(device_->wait(stream, event), "wait"); }
  void synchronize(device::Stream stream) const { check(device_->synchronize(stream), "synchronize"); }
  /// Asks until the answer is another one than "not ready", a million times at most: a second
  /// of virtual time.
  template <typename Handle>
  [[nodiscard]] device::Status poll(Handle handle) const {
    device::Status status = device_->query(handle);
    for (int asked = 1; asked < 1'000'000 && status == device::Status::not_ready; ++asked) {
      status = device_->query(handle);
    }
    return status;
  }
  /// `later` comes after all that `earlier` was given so far.
  void order(device::Stream earlier, device::Stream later) const {
    const device::Event done = event();
    record(done, earlier);
    wait(later, done);
  }
  template <typename Work>
  [[nodiscard]] device::GraphExec captured(device::Stream stream, Work work) const {
    check(device_->begin_capture(stream, device::CaptureMode::global), "begin_capture");
    work();
    return device_->instantiate(device_->end_capture(stream).value()).value();
  }

 private:
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<device::Device> device_;
};

}  // namespace gpucheck::sim
