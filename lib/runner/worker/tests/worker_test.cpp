#include "runner/worker/worker.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/tests/temporary_folder.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/context.hpp"
#include "runner/worker/tests/four_devices.hpp"

/// What a worker answers to each request, asked over a channel as a supervisor asks it.
namespace gpucheck::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// "1,3" are two of the four, "problem" two that cannot be used, "found" the same after a look, "unknown" no device.
OpenedDriver open_named(std::string_view name, std::uint64_t seed) {
  if (name == "unknown") throw UsageError("no such device");
  if (name == "broken") throw EnvironmentError("out of order");
  OpenedDriver opened;
  opened.driver = std::make_unique<FourDevices>();
  opened.note = "seed " + std::to_string(seed);
  opened.name_of = [](const std::vector<int>& ordinals) {
    std::string text = "four";
    for (const int ordinal : ordinals) text += "/" + std::to_string(ordinal);
    return text;
  };
  opened.ordinals.clear();
  if (name == "problem" || name == "found") {
    opened.ordinals = {4, 5};
    const auto find = [](OpenedDriver& itself) {
      itself.problem = "CUDA does not start";
      device::DeviceProperties second;
      second.name = "second";
      itself.known = {device::DeviceProperties{}, second};
    };
    if (name == "problem") {
      opened.problem = "fell off the bus";
    } else {
      opened.look_for_problem = find;
    }
    return opened;
  }
  for (const char c : name) {
    if (c != ',') opened.ordinals.push_back(c - '0');
  }
  return opened;
}

harness::Registry one_case() {
  harness::Case seen{.name = "a.seen", .summary = "", .source = ""};
  seen.run = [](harness::Context& context) {
    context.observe("devices", static_cast<std::int64_t>(context.device_count()));
    context.observe("seed", static_cast<std::int64_t>(context.seed()));
  };
  harness::Case allocating{.name = "a.allocating", .summary = "", .source = ""};
  allocating.run = [](harness::Context& context) {
    const auto memory = context.device().allocate(64);
    context.observe("allocated", memory.has_value());
    if (memory) static_cast<void>(context.device().free(*memory));
  };
  allocating.faults = {{.name = "no_memory", .summary = "", .plan = fault::allocation_fails(fault::every_call)}};
  return harness::Registry({seen, allocating});
}

/// A worker in a thread of its own, until the channel is closed.
class WorkerThread {
 public:
  WorkerThread() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
    mine_ = ends[0];
    worker_ = std::thread([this, theirs = ends[1]] { code_ = worker_main(theirs, registry_, open_named); });
  }
  ~WorkerThread() { static_cast<void>(end()); }
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  void send(const Request& request) const { send_bytes(encode_frame(encode(request))); }
  void send_bytes(const std::string& bytes) const {
    ASSERT_EQ(::send(mine_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  Reply reply() {
    while (true) {
      if (const auto body = decoder_.next()) return decode_reply(*body);
      std::array<char, 4096> buffer;
      const ssize_t count = ::recv(mine_, buffer.data(), buffer.size(), 0);
      if (count <= 0) throw std::runtime_error("the worker has left");
      decoder_.append({buffer.data(), static_cast<std::size_t>(count)});
    }
  }
  Reply ask(const Request& request) {
    send(request);
    return reply();
  }
  /// Its exit code.
  int end() {
    if (worker_.joinable()) {
      ::close(mine_);
      worker_.join();
    }
    return code_;
  }

 private:
  harness::Registry registry_ = one_case();
  int mine_ = -1;
  int code_ = -1;
  FrameDecoder decoder_;
  std::thread worker_;
};

TEST(Worker, TellsOfEachDeviceWhatItSaysOfItself) {
  WorkerThread worker;
  const auto identity = std::get<IdentityReply>(worker.ask(IdentifyRequest{.device = "3,1", .seed = 5}));
  ASSERT_EQ(identity.devices.size(), 2U);
  for (int index = 0; index < 2; ++index) {
    const harness::DeviceIdentity& device = identity.devices[static_cast<std::size_t>(index)];
    const int ordinal = index == 0 ? 3 : 1;
    const int base = 100 * ordinal;
    EXPECT_EQ(device.index, index);
    EXPECT_EQ(device.ordinal, ordinal);
    EXPECT_EQ(device.kind, "sim");
    EXPECT_EQ(device.name, "name " + std::to_string(ordinal));
    EXPECT_EQ(device.uuid, "GPU-" + std::to_string(ordinal));
    EXPECT_EQ(device.pci_bus_id, "0000:0" + std::to_string(ordinal) + ":00.0");
    EXPECT_EQ(device.total_memory_bytes, static_cast<std::uint64_t>(base + 1));
    EXPECT_EQ(device.multiprocessor_count, base + 2);
    EXPECT_EQ(device.compute_capability_major, base + 3);
    EXPECT_EQ(device.compute_capability_minor, base + 4);
    EXPECT_EQ(device.multiprocessor_clock_khz, static_cast<std::uint64_t>(base + 5));
    EXPECT_EQ(device.memory_clock_khz, static_cast<std::uint64_t>(base + 6));
    EXPECT_EQ(device.memory_bus_bits, base + 7);
    EXPECT_EQ(device.host_link_generation, base + 8);
    EXPECT_EQ(device.host_link_lanes, base + 9);
    EXPECT_EQ(device.peer_links, base + 10);
    EXPECT_EQ(device.peer_link_mbps, base + 11);
    EXPECT_EQ(device.driver_version, "580.1");
    EXPECT_EQ(device.cuda_driver_version, "13.0");
    EXPECT_EQ(device.cuda_runtime_version, "12.9");
    EXPECT_EQ(device.note, "seed 5");
    EXPECT_EQ(device.problem, "");
  }
  ASSERT_EQ(identity.groups.size(), 3U);
  EXPECT_EQ(identity.groups[0].name, "four/3");
  EXPECT_EQ(identity.groups[1].name, "four/1");
  EXPECT_EQ(identity.groups[1].devices, std::vector{1});
  EXPECT_EQ(identity.groups[2].devices, (std::vector{0, 1}));
  EXPECT_EQ(identity.groups[2].name, "four/3/1");
  EXPECT_EQ(worker.end(), 0);
}

TEST(Worker, OneDeviceThatSaysNothingCostsNoOther) {
  WorkerThread worker;
  const auto identity = std::get<IdentityReply>(worker.ask(IdentifyRequest{.device = "1,2,3"}));
  ASSERT_EQ(identity.devices.size(), 3U);
  EXPECT_EQ(identity.devices[0].problem, "");
  EXPECT_THAT(identity.devices[1].problem, HasSubstr("asking what the device is: "));
  EXPECT_EQ(identity.devices[1].ordinal, 2);
  EXPECT_EQ(identity.devices[1].name, "");
  EXPECT_EQ(identity.devices[2].problem, "");
  EXPECT_EQ(identity.devices[2].name, "name 3");
}

TEST(Worker, ADeviceBeyondThoseThereAreIsAMistakeOfTheName) {
  WorkerThread worker;
  EXPECT_TRUE(std::holds_alternative<IdentityReply>(worker.ask(IdentifyRequest{.device = "0,3"})));
  const auto beyond = std::get<ErrorReply>(worker.ask(IdentifyRequest{.device = "0,4"}));
  EXPECT_TRUE(beyond.usage);
  EXPECT_THAT(beyond.text, HasSubstr("there is no device 4: 4 found"));
}

TEST(Worker, TellsWhatIsKnownOfDevicesThatCannotBeUsed) {
  WorkerThread worker;
  const auto known = std::get<IdentityReply>(worker.ask(IdentifyRequest{.device = "found"}));
  ASSERT_EQ(known.devices.size(), 2U);
  EXPECT_EQ(known.devices[0].name, "");
  EXPECT_EQ(known.devices[1].name, "second");
  EXPECT_EQ(known.devices[1].ordinal, 5);
  for (const harness::DeviceIdentity& device : known.devices) EXPECT_EQ(device.problem, "CUDA does not start");
  EXPECT_EQ(known.groups.size(), 3U);
  const auto unknown = std::get<IdentityReply>(worker.ask(IdentifyRequest{.device = "problem"}));
  ASSERT_EQ(unknown.devices.size(), 2U);
  EXPECT_EQ(unknown.devices[1].problem, "fell off the bus");
  EXPECT_EQ(unknown.devices[1].name, "");
}

TEST(Worker, TellsMistakesOfTheNameFromThoseOfTheDevice) {
  WorkerThread worker;
  for (const Request& request : {Request(IdentifyRequest{.device = "unknown"}), Request(PrepareRequest{"unknown"})}) {
    const auto error = std::get<ErrorReply>(worker.ask(request));
    EXPECT_TRUE(error.usage);
    EXPECT_EQ(error.text, "no such device");
  }
  for (const Request& request : {Request(IdentifyRequest{.device = "broken"}), Request(PrepareRequest{"broken"})}) {
    const auto error = std::get<ErrorReply>(worker.ask(request));
    EXPECT_FALSE(error.usage);
    EXPECT_EQ(error.text, "out of order");
  }
}

TEST(Worker, IsReadyWhenEachOfItsDevicesOpens) {
  WorkerThread worker;
  EXPECT_TRUE(std::holds_alternative<PreparedReply>(worker.ask(PrepareRequest{.device = "0,1"})));
  for (const char* with_sick : {"2", "0,2", "2,0"}) {
    const auto error = std::get<ErrorReply>(worker.ask(PrepareRequest{.device = with_sick}));
    EXPECT_FALSE(error.usage) << with_sick;
    EXPECT_THAT(error.text, HasSubstr("opening the device: ")) << with_sick;
  }
}

TEST(Worker, RunsACaseAndSendsWhatItSeesAtOnce) {
  WorkerThread worker;
  for (const std::uint64_t sequence : {7U, 8U}) {
    RunRequest request{.sequence = sequence, .case_name = "a.seen", .settings = {}};
    request.settings.device = "0,1";
    request.settings.seed = 30 + sequence;
    worker.send(request);
    const auto devices = std::get<ObservationReply>(worker.reply());
    EXPECT_EQ(devices.sequence, sequence);
    EXPECT_EQ(devices.observation, (harness::Observation{"devices", std::int64_t{2}}));
    const auto seed = std::get<ObservationReply>(worker.reply());
    EXPECT_EQ(seed.observation.key, "seed");
    EXPECT_EQ(seed.observation.value, harness::Value(static_cast<std::int64_t>(30 + sequence)));
    const auto end = std::get<FinishedReply>(worker.reply());
    EXPECT_EQ(end.sequence, sequence);
    EXPECT_EQ(end.execution.status, harness::Execution::Status::completed) << end.execution.reason;
    EXPECT_EQ(end.lost_trace, "");
  }
}

TEST(Worker, RunsACaseUnderTheFaultThatIsWorkerThreadFor) {
  WorkerThread worker;
  for (const char* fault : {"", "no_memory", ""}) {
    RunRequest request{.sequence = 1, .case_name = "a.allocating", .settings = {}};
    request.settings.device = "1";
    request.settings.fault = fault;
    const auto seen = std::get<ObservationReply>(worker.ask(request));
    EXPECT_EQ(seen.observation.value, harness::Value(*fault == 0)) << fault;
    static_cast<void>(worker.reply());
  }
}

TEST(Worker, AnswersWithAnErrorToWhatItCannotRun) {
  WorkerThread worker;
  const auto reason = [&worker](const std::string& name, const std::string& device, const std::string& fault) {
    RunRequest request{.sequence = 9, .case_name = name, .settings = {}};
    request.settings.device = device;
    request.settings.fault = fault;
    const auto end = std::get<FinishedReply>(worker.ask(request));
    EXPECT_EQ(end.sequence, 9U);
    EXPECT_EQ(end.execution.status, harness::Execution::Status::error);
    return end.execution.reason;
  };
  EXPECT_THAT(reason("a.gone", "0", ""), HasSubstr("a.gone"));
  EXPECT_EQ(reason("a.seen", "broken", ""), "out of order");
  EXPECT_EQ(reason("a.seen", "0", "found"), "a.seen has no fault \"found\"");
}

TEST(Worker, WritesATraceWhereItIsTold) {
  const TemporaryFolder folder;
  WorkerThread worker;
  RunRequest request{.sequence = 1, .case_name = "a.seen", .settings = {}};
  request.settings.device = "0";
  request.trace_path = folder.file("trace.json");
  worker.send(request);
  static_cast<void>(worker.reply());
  static_cast<void>(worker.reply());
  EXPECT_EQ(std::get<FinishedReply>(worker.reply()).lost_trace, "");
  EXPECT_EQ(folder.file_count(), 1U);
  request.trace_path = folder.file("no/such/folder/trace.json");
  worker.send(request);
  static_cast<void>(worker.reply());
  static_cast<void>(worker.reply());
  const auto end = std::get<FinishedReply>(worker.reply());
  EXPECT_THAT(end.lost_trace, HasSubstr("trace"));
  EXPECT_EQ(end.execution.status, harness::Execution::Status::completed) << "the verdict stays";
}

TEST(Worker, LeavesASupervisorThatDoesNotSpeakTheProtocol) {
  WorkerThread worker;
  worker.send_bytes("?????????");
  EXPECT_THROW(static_cast<void>(worker.reply()), std::runtime_error);
  EXPECT_EQ(worker.end(), 3);
}

}  // namespace
}  // namespace gpucheck::runner
