#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/case/execute.hpp"
#include "harness/result/result.hpp"
#include "harness/values/run_settings.hpp"
#include "harness/values/world.hpp"
#include "runner/process/frame.hpp"
#include "telemetry/machine/machine.hpp"

/// What supervisor and worker say to each other. One request at a time; the worker
/// answers with any number of observations and then one final reply. A worker leaves
/// when the supervisor closes the channel.
namespace gpucheck::runner {

struct IdentifyRequest {
  std::string device;  ///< as on the command line: "auto", "cuda:1", "sim:h100"
  std::uint64_t seed = 0;
};

struct RunRequest {
  std::uint64_t sequence = 0;  ///< comes back in every reply, so that a late one is noticed
  std::string case_name;
  harness::RunSettings settings;  ///< of the case; the device is never "auto"
  harness::World world = {};
  std::vector<telemetry::GpuId> gpus = {};  ///< of its devices: the driver knows them by this
  std::string trace_path = {};              ///< where to write what the devices did; empty: nowhere
  /// The text of the recording that `settings.telemetry` names, for this and all later requests; absent where the
  /// worker has it already. So that nobody but the supervisor reads the file, which may be a pipe.
  std::optional<std::string> recording = {};
  std::uint64_t silent_gpus = 0;    ///< GPUs of the machine that are known not to answer
  std::string program_folder = {};  ///< where a case of the site's own lies; empty for one that is built in
  std::string program_digest = {};  ///< as harness::Program has it
};

/// What a process is started for that runs one function of a case.
struct ChildRequest {
  std::string case_name;
  std::string child_name;
  harness::RunSettings settings;  ///< as the case itself has them
};

/// Opens the devices, which makes a context on each, for the cases that come.
struct PrepareRequest {
  std::string device;                       ///< a DeviceGroup's name
  std::vector<telemetry::GpuId> gpus = {};  ///< of its devices
};

/// Devices that one case can have together.
struct DeviceGroup {
  std::vector<int> devices;  ///< by their index
  std::string name;          ///< by which a worker opens just these
};

struct IdentityReply {
  std::vector<harness::DeviceIdentity> devices;  ///< each at its index
  std::vector<DeviceGroup> groups;               ///< each alone, then neighbours of each number
};

struct PreparedReply {};

struct ErrorReply {
  bool usage = false;  ///< the name was wrong; else the devices cannot be had
  std::string text;
};

/// Sent the moment a case observes, so that it survives a crash.
struct ObservationReply {
  std::uint64_t sequence = 0;
  harness::Observation observation;
};

struct FinishedReply {
  std::uint64_t sequence = 0;
  harness::Execution execution;
  std::string lost_trace = {};  ///< why the trace that was asked for could not be written; empty where it was
};

using Request = std::variant<IdentifyRequest, PrepareRequest, RunRequest>;
using Reply = std::variant<IdentityReply, PreparedReply, ErrorReply, ObservationReply, FinishedReply>;

/// Bodies of frames. Text that is not UTF-8 arrives with U+FFFD in place of what is
/// wrong; numbers arrive exactly, infinities and NaN included.
std::string encode(const Request& request);
std::string encode(const Reply& reply);
/// @throws ProtocolError.
Request decode_request(std::string_view body);
/// @throws ProtocolError.
Reply decode_reply(std::string_view body);

/// One JSON object, for the command line of a case's child.
std::string encode(const ChildRequest& request);
/// @throws ProtocolError.
ChildRequest decode_child_request(std::string_view body);

}  // namespace gpucheck::runner
