#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/driver.hpp"

namespace gpucheck::device {

/// Base of drivers that stand before another one and change some of its answers: every
/// method does what the inner driver does. As thread-safe as that one.
class ForwardingDriver : public Driver {
 public:
  explicit ForwardingDriver(std::unique_ptr<Driver> inner) noexcept : inner_(std::move(inner)) {}

  [[nodiscard]] std::string_view kind() const noexcept override { return inner_->kind(); }
  [[nodiscard]] Result<int> device_count() override { return inner_->device_count(); }
  [[nodiscard]] Result<int> device_count_without_initialising() override {
    return inner_->device_count_without_initialising();
  }
  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override {
    return inner_->visible_devices_variable();
  }
  [[nodiscard]] std::optional<std::vector<std::string>> installed_devices() override {
    return inner_->installed_devices();
  }
  [[nodiscard]] Result<DeviceProperties> properties(int ordinal) override { return inner_->properties(ordinal); }
  [[nodiscard]] PeerLink peer_link(int ordinal) override { return inner_->peer_link(ordinal); }
  [[nodiscard]] Result<std::unique_ptr<Device>> open(int ordinal) override { return inner_->open(ordinal); }
  [[nodiscard]] Versions versions() override { return inner_->versions(); }
  [[nodiscard]] bool notices_races() const noexcept override { return inner_->notices_races(); }
  [[nodiscard]] std::vector<Race> races() const override { return inner_->races(); }
  [[nodiscard]] std::optional<LiveHandles> live_handles() const override { return inner_->live_handles(); }
  [[nodiscard]] ActivityRecording record_activity() override { return inner_->record_activity(); }
  void begin_range(const std::string& name) override { inner_->begin_range(name); }
  void end_range() override { inner_->end_range(); }
  void mark(const std::string& name) override { inner_->mark(name); }
  [[nodiscard]] std::uint64_t start_range(const std::string& name) override { return inner_->start_range(name); }
  void finish_range(std::uint64_t range) override { inner_->finish_range(range); }
  [[nodiscard]] std::optional<std::vector<RangeEvent>> hear_ranges(const std::function<void()>& action) override {
    return inner_->hear_ranges(action);
  }

 protected:
  [[nodiscard]] Driver& inner() noexcept { return *inner_; }

 private:
  std::unique_ptr<Driver> inner_;
};

}  // namespace gpucheck::device
