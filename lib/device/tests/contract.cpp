#include "device/tests/contract.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <ostream>

#include "device/sim/sim_driver.hpp"

namespace gpucheck::device {

void PrintTo(Status status, std::ostream* out) {
  *out << status_name(status) << " (" << static_cast<int>(status) << ")";
}

namespace contract {
namespace {

/// Empty when there is a device to test, else why there is none.
std::string why_no_device(Driver& driver) {
  const auto count = driver.device_count();
  if (count.has_error()) return fmt::format("{} ({})", status_text(count.error()), status_name(count.error()));
  return *count > 0 ? "" : "the driver counts no device";
}

bool is_required() {
  const char* value = std::getenv("GPUCHECK_REQUIRE_CUDA");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.label; }

std::shared_ptr<Contract::Fixture> Contract::fixture_for(const Backend& backend) {
  const auto make = [&] { return std::make_shared<Fixture>(Fixture{backend.make_driver(), nullptr}); };
  if (!backend.hardware) return make();
  static const auto only = make();
  return only;
}

void Contract::SetUp() {
  // A child must run from the start: a process that has used a GPU cannot fork.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  fixture_ = fixture_for(GetParam());
  // In a child the test itself says what touches the device first.
  if (testing::internal::InDeathTestChild()) return;
  const std::string reason = why_no_device(driver());
  if (reason.empty()) return;
  if (!GetParam().hardware || is_required()) FAIL() << "no device to test: " << reason;
  GTEST_SKIP() << "no device to test: " << reason;
}

void Contract::TearDown() {
  if (fixture_->device == nullptr) return;
  static_cast<void>(device().last_error());
  EXPECT_EQ(device().synchronize(), Status::success) << "the test spoilt the device for those after it";
  for (const Race& race : driver().races()) ADD_FAILURE() << race.description;
  if (const auto* simulated = dynamic_cast<const sim::Driver*>(&driver())) {
    EXPECT_EQ(simulated->live_bytes(), 0U) << "device memory was not freed";
  }
}

Device& Contract::device() const {
  if (fixture_->device == nullptr) fixture_->device = driver().open(0).value();
  return *fixture_->device;
}

UniqueStream Contract::make_stream(StreamKind kind, int priority) const {
  return own<UniqueStream>(device(), device().create_stream(kind, priority));
}

UniqueEvent Contract::make_event(EventKind kind) const {
  return own<UniqueEvent>(device(), device().create_event(kind));
}

void Contract::spin(Stream stream, std::chrono::milliseconds duration) const {
  const auto nanoseconds = std::chrono::nanoseconds(duration).count();
  run(kernels::Spin{static_cast<std::uint64_t>(nanoseconds)}, 1, stream);
}

Status ask_until_ready(const std::function<Status()>& query) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  Status status = query();
  while (status == Status::not_ready && std::chrono::steady_clock::now() < end) status = query();
  return status;
}

UniqueGraph Contract::capture(Stream stream, const std::function<void()>& work) const {
  check(device().begin_capture(stream, CaptureMode::global), "begin_capture");
  work();
  return own<UniqueGraph>(device(), device().end_capture(stream));
}

UniqueGraphExec Contract::instantiate(const UniqueGraph& graph) const {
  return own<UniqueGraphExec>(device(), device().instantiate(graph.get()));
}

void Contract::launch(const UniqueGraphExec& executable, Stream stream) const {
  check(device().launch(executable.get(), stream), "launch");
}

void Findings::expect(Status seen, Status expected, std::string_view call) {
  if (seen == expected) return;
  found_.push_back(fmt::format("{}: {}, expected {}", call, status_name(seen), status_name(expected)));
}

void Findings::expect(bool condition, std::string_view statement) {
  if (!condition) found_.push_back(fmt::format("not so: {}", statement));
}

void Findings::exit() const {
  for (const std::string& finding : found_) std::cerr << finding << '\n';
  std::cerr.flush();
  std::_Exit(found_.empty() ? 0 : 1);
}

void in_child(const std::function<void(Findings&)>& body) {
  Findings findings;
  try {
    body(findings);
  } catch (const std::exception& error) {
    findings.add(error.what());
  }
  findings.exit();
}

}  // namespace contract
}  // namespace gpucheck::device
