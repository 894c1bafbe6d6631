#include "device/fault/fault_driver.hpp"

#include "device/fault/fault_device.hpp"

namespace gpucheck::fault {
namespace {

using device::Result;
using device::Status;

class FaultDriver final : public device::Driver {
 public:
  FaultDriver(std::unique_ptr<device::Driver> inner, const Plan& plan)
      : inner_(std::move(inner)), faults_(std::make_shared<Faults>(plan)) {
    const ArmedRule* rule = faults_->next(Operation::initialize);
    if (rule == nullptr) return;
    if (rule->effect() == Effect::fail) failed_ = rule->status();
    knows_nothing_ = rule->effect() == Effect::wrong_answer;
    if (rule->effect() == Effect::eager) static_cast<void>(inner_->device_count());
  }

  [[nodiscard]] std::string_view kind() const noexcept override { return inner_->kind(); }
  [[nodiscard]] Result<int> device_count() override {
    if (failed_ != Status::success) return failed_;
    return inner_->device_count();
  }
  [[nodiscard]] Result<int> device_count_without_initialising() override {
    return inner_->device_count_without_initialising();
  }
  [[nodiscard]] std::string_view visible_devices_variable() const noexcept override {
    return inner_->visible_devices_variable();
  }
  [[nodiscard]] Result<device::DeviceProperties> properties(int ordinal) override {
    if (failed_ != Status::success) return failed_;
    Result<device::DeviceProperties> found = inner_->properties(ordinal);
    return found && knows_nothing_ ? device::DeviceProperties{} : found;
  }
  [[nodiscard]] Result<std::unique_ptr<device::Device>> open(int ordinal) override {
    if (failed_ != Status::success) return failed_;
    Result<std::unique_ptr<device::Device>> opened = inner_->open(ordinal);
    if (!opened) return opened.error();
    return std::make_unique<FaultDevice>(std::move(*opened), faults_, handles_);
  }
  [[nodiscard]] Versions versions() override { return inner_->versions(); }
  [[nodiscard]] bool notices_races() const noexcept override { return inner_->notices_races(); }
  [[nodiscard]] std::vector<device::Race> races() const override { return inner_->races(); }
  [[nodiscard]] std::optional<device::LiveHandles> live_handles() const override { return handles_->live(); }
  [[nodiscard]] device::ActivityRecording record_activity() override { return inner_->record_activity(); }
  void begin_range(const std::string& name) override { inner_->begin_range(name); }
  void end_range() override { inner_->end_range(); }

 private:
  std::unique_ptr<device::Driver> inner_;
  std::shared_ptr<Faults> faults_;
  std::shared_ptr<device::HandleLedger> handles_ = std::make_shared<device::HandleLedger>();
  bool knows_nothing_ = false;
  Status failed_ = Status::success;  // what initialisation came to
};

}  // namespace

std::unique_ptr<device::Driver> inject(std::unique_ptr<device::Driver> driver, const Plan& plan) {
  check(plan);
  return std::make_unique<FaultDriver>(std::move(driver), plan);
}

}  // namespace gpucheck::fault
