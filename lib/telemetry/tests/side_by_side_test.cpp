#include "telemetry/nvml/side_by_side.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <thread>

#include "telemetry/machine/gpu_loss.hpp"

namespace gpucheck::telemetry {
namespace {

using std::chrono::milliseconds;

/// GPUs "GPU-0" and so on, of which some do not answer until they are let go.
class Gpus {
 public:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int hanging = -1;
    bool hangs_at_opening = false;
  };

  void hang(int number, bool at_opening) const {
    const std::lock_guard lock(state_->mutex);
    state_->hanging = number;
    state_->hangs_at_opening = at_opening;
  }
  void let_go() const {
    const std::lock_guard lock(state_->mutex);
    state_->hanging = -1;
    state_->changed.notify_all();
  }
  ~Gpus() { let_go(); }

  [[nodiscard]] std::unique_ptr<Source> open(unsigned count, GpuPatience patience) const {
    return ask_side_by_side(
        {.driver_version = "580.1", .gpus = {}}, count,
        [state = state_](unsigned number) { return opened(state, number); }, std::move(patience));
  }

 private:
  static void wait(State& state, unsigned number, bool at_opening) {
    std::unique_lock lock(state.mutex);
    state.changed.wait(
        lock, [&] { return state.hanging != static_cast<int>(number) || (at_opening && !state.hangs_at_opening); });
  }

  class One final : public Source {
   public:
    One(std::shared_ptr<State> state, unsigned number) : state_(std::move(state)), number_(number) {}
    Machine read(const Question& question) override {
      wait(*state_, number_, false);
      Machine machine;
      Gpu gpu = identity(number_);
      gpu[Reading::temperature_gpu] = std::int64_t{40};
      if (question.subset != Subset::gauges) gpu[Reading::pcie_replays] = std::int64_t{number_};
      if (question.gpus.empty() || is_gpu(gpu, question.gpus.front())) machine.gpus.push_back(gpu);
      return machine;
    }

   private:
    std::shared_ptr<State> state_;
    unsigned number_;
  };

  static Gpu identity(unsigned number) {
    Gpu gpu = silent_gpu(std::string(not_asked));
    gpu[Reading::uuid] = "GPU-" + std::to_string(number);
    gpu[Reading::pci_address] = "0000:0" + std::to_string(number) + ":00.0";
    return gpu;
  }
  static OpenedGpu opened(const std::shared_ptr<State>& state, unsigned number) {
    wait(*state, number, true);
    return {.source = std::make_unique<One>(state, number), .identity = identity(number)};
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Question about(unsigned number) { return {.gpus = {{.uuid = "GPU-" + std::to_string(number), .pci_address = ""}}}; }

GpuPatience short_patience() { return {.usual = milliseconds(400), .for_silent = milliseconds(100), .silent = {}}; }

TEST(SideBySide, GpusAreListedInTheirOrder) {
  const Gpus gpus;
  const auto source = gpus.open(3, {});
  const Machine machine = source->read({});
  EXPECT_EQ(machine.driver_version, Value("580.1"));
  ASSERT_EQ(machine.gpus.size(), 3U);
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(number(machine.gpus[static_cast<std::size_t>(i)][Reading::pcie_replays]), i);
  ASSERT_EQ(source->read(about(2)).gpus.size(), 1U);
  EXPECT_EQ(source->read(about(7)).gpus.size(), 0U);
}

TEST(SideBySide, OneThatHangsIsAnsweredForAndTheOthersAreNotLate) {
  for (const bool at_opening : {false, true}) {
    const Gpus gpus;
    gpus.hang(1, at_opening);
    const auto source = gpus.open(3, short_patience());
    EXPECT_LT(seconds_of([&] { EXPECT_EQ(number(source->read(about(2)).gpus.at(0)[Reading::pcie_replays]), 2); }), 0.3);
    const Machine machine = source->read({});
    ASSERT_EQ(machine.gpus.size(), 3U);
    EXPECT_EQ(number(machine.gpus[0][Reading::temperature_gpu]), 40);
    const Value& silent = machine.gpus[1][Reading::temperature_gpu];
    EXPECT_TRUE(is_failure(silent));
    EXPECT_EQ(*problem(silent), no_answer_text(milliseconds(400)));
    EXPECT_TRUE(machine.gpus[1].links_failed && machine.gpus[1].processes_failed);
    EXPECT_EQ(text(machine.gpus[1][Reading::uuid]) != nullptr, !at_opening) << "it is known which it is";
    EXPECT_LT(seconds_of([&] { static_cast<void>(source->read({})); }), 0.1) << "nor is it waited for again";
    const Machine alone = source->read(about(1));
    ASSERT_EQ(alone.gpus.size(), 1U);
    EXPECT_TRUE(is_gpu(alone.gpus[0], about(1).gpus[0]));
    EXPECT_TRUE(says_no_answer(*problem(alone.gpus[0][Reading::handle])));
  }
}

TEST(SideBySide, OneThatComesBackIsAskedAnew) {
  const Gpus gpus;
  gpus.hang(0, false);
  const auto source = gpus.open(2, short_patience());
  EXPECT_TRUE(is_failure(source->read({.subset = Subset::gauges}).gpus.at(0)[Reading::temperature_gpu]));
  gpus.let_go();
  Machine machine;
  for (int i = 0; i < 100 && !number(machine.gpus.empty() ? Value{} : machine.gpus[0][Reading::pcie_replays]); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    machine = source->read({});
  }
  EXPECT_EQ(number(machine.gpus.at(0)[Reading::pcie_replays]), 0) << "and not answered with what was asked before";
}

TEST(SideBySide, WhatIsKnownToHangIsWaitedForLess) {
  const Gpus gpus;
  gpus.hang(1, true);
  const auto silent = std::make_shared<std::atomic<int>>(1);
  const auto source = gpus.open(2, {.usual = milliseconds(5000), .for_silent = milliseconds(50), .silent = silent});
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(source->read({}).gpus.size(), 2U); }), 1);
}

TEST(SideBySide, TheBusSaysWhichGpuIsSilent) {
  Machine machine;
  machine.gpus = {silent_gpu("no answer"), silent_gpu("no answer")};
  machine.gpus[0][Reading::pci_address] = "00000000:3B:00.0";
  machine.host.pci_gpus = {{"0000:3b:00.0", "nvidia"}, {"0000:3c:00.0", "nvidia"}, {"0000:3d:00.0", "vfio-pci"}};
  name_silent_gpus(machine);
  EXPECT_EQ(*text(machine.gpus[1][Reading::pci_address]), "0000:3c:00.0");
  machine.gpus[1][Reading::pci_address] = Unavailable{"no answer"};
  machine.host.pci_gpus.push_back({"0000:3e:00.0", "nvidia"});
  name_silent_gpus(machine);
  EXPECT_EQ(text(machine.gpus[1][Reading::pci_address]), nullptr) << "it may be either";
}

}  // namespace
}  // namespace gpucheck::telemetry
