#include "device/fault/fault_driver.hpp"

#include "device/fault/fault_device.hpp"
#include "device/forwarding/forwarding_driver.hpp"

namespace gpucheck::fault {
namespace {

using device::Result;
using device::Status;

class FaultDriver final : public device::ForwardingDriver {
 public:
  FaultDriver(std::unique_ptr<device::Driver> inner, const Plan& plan)
      : ForwardingDriver(std::move(inner)), faults_(std::make_shared<Faults>(plan)) {
    const ArmedRule* rule = faults_->next(Operation::initialize);
    if (rule == nullptr) return;
    if (rule->effect() == Effect::fail) failed_ = rule->status();
    knows_nothing_ = rule->effect() == Effect::wrong_answer;
    if (rule->effect() == Effect::eager) static_cast<void>(ForwardingDriver::device_count());
  }

  [[nodiscard]] Result<int> device_count() override {
    if (failed_ != Status::success) return failed_;
    return ForwardingDriver::device_count();
  }
  [[nodiscard]] Result<device::DeviceProperties> properties(int ordinal) override {
    if (failed_ != Status::success) return failed_;
    Result<device::DeviceProperties> found = ForwardingDriver::properties(ordinal);
    return found && knows_nothing_ ? device::DeviceProperties{} : found;
  }
  [[nodiscard]] Result<std::unique_ptr<device::Device>> open(int ordinal) override {
    if (failed_ != Status::success) return failed_;
    Result<std::unique_ptr<device::Device>> opened = ForwardingDriver::open(ordinal);
    if (!opened) return opened.error();
    return std::make_unique<FaultDevice>(std::move(*opened), faults_, handles_);
  }
  [[nodiscard]] std::optional<device::LiveHandles> live_handles() const override { return handles_->live(); }

 private:
  std::shared_ptr<Faults> faults_;
  std::shared_ptr<device::HandleLedger> handles_ = std::make_shared<device::HandleLedger>();
  bool knows_nothing_ = false;
  Status failed_ = Status::success;  // the result of initialisation
};

}  // namespace

std::unique_ptr<device::Driver> inject(std::unique_ptr<device::Driver> driver, const Plan& plan) {
  check(plan);
  return std::make_unique<FaultDriver>(std::move(driver), plan);
}

}  // namespace gpucheck::fault
