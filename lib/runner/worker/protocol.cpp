#include "runner/worker/protocol.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/run/json.hpp"

namespace gpucheck::runner {
namespace {

using json = nlohmann::ordered_json;

std::string dump(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

std::uint64_t unsigned_at(const json& object, const char* key) {
  const json& number = object.at(key);
  if (!number.is_number_unsigned()) throw ProtocolError(fmt::format("\"{}\" must be a number from 0", key));
  return number.get<std::uint64_t>();
}

std::string string_at(const json& object, const char* key) { return object.at(key).get<std::string>(); }

std::optional<std::string> optional_string_at(const json& object, const char* key) {
  return object.at(key).is_null() ? std::nullopt : std::optional(string_at(object, key));
}

std::optional<int> optional_int_at(const json& object, const char* key) {
  return object.at(key).is_null() ? std::nullopt : std::optional(object.at(key).get<int>());
}

json message_of(const std::vector<telemetry::GpuId>& gpus) {
  json list = json::array();
  for (const telemetry::GpuId& gpu : gpus) list.push_back({{"uuid", gpu.uuid}, {"pci_address", gpu.pci_address}});
  return list;
}

std::vector<telemetry::GpuId> gpus_from(const json& list) {
  std::vector<telemetry::GpuId> gpus;
  for (const json& gpu : list.get_ref<const json::array_t&>()) {
    gpus.push_back({.uuid = string_at(gpu, "uuid"), .pci_address = string_at(gpu, "pci_address")});
  }
  return gpus;
}

// -- requests --------------------------------------------------------------------------

json message_of(const IdentifyRequest& request) {
  return {{"type", "identify"}, {"device", request.device}, {"seed", request.seed}};
}

json message_of(const PrepareRequest& request) {
  return {{"type", "prepare"}, {"device", request.device}, {"gpus", message_of(request.gpus)}};
}

json message_of(const RunRequest& request) {
  return {{"type", "run"},
          {"sequence", request.sequence},
          {"case", request.case_name},
          {"settings", harness::to_json(request.settings)},
          {"world", harness::to_text(request.world)},
          {"gpus", message_of(request.gpus)},
          {"trace_path", request.trace_path},
          {"recording", request.recording ? json(*request.recording) : json(nullptr)},
          {"silent_gpus", request.silent_gpus},
          {"program_folder", request.program_folder},
          {"program_digest", request.program_digest}};
}

Request request_from(const json& message) {
  const std::string type = string_at(message, "type");
  if (type == "identify") {
    return IdentifyRequest{.device = string_at(message, "device"), .seed = unsigned_at(message, "seed")};
  }
  if (type == "prepare") {
    return PrepareRequest{.device = string_at(message, "device"), .gpus = gpus_from(message.at("gpus"))};
  }
  if (type != "run") throw ProtocolError(fmt::format("unknown request \"{}\"", type));
  return RunRequest{.sequence = unsigned_at(message, "sequence"),
                    .case_name = string_at(message, "case"),
                    .settings = harness::run_settings_from_json(message.at("settings")),
                    .world = harness::parse_world(string_at(message, "world")),
                    .gpus = gpus_from(message.at("gpus")),
                    .trace_path = string_at(message, "trace_path"),
                    .recording = optional_string_at(message, "recording"),
                    .silent_gpus = unsigned_at(message, "silent_gpus"),
                    .program_folder = string_at(message, "program_folder"),
                    .program_digest = string_at(message, "program_digest")};
}

json message_of(const ChildRequest& request) {
  return {{"case", request.case_name}, {"child", request.child_name}, {"settings", harness::to_json(request.settings)}};
}

ChildRequest child_request_from(const json& message) {
  return {.case_name = string_at(message, "case"),
          .child_name = string_at(message, "child"),
          .settings = harness::run_settings_from_json(message.at("settings"))};
}

// -- replies ---------------------------------------------------------------------------

json message_of(const IdentityReply& reply) {
  json message = {{"type", "identity"}, {"devices", json::array()}, {"groups", json::array()}};
  for (const harness::DeviceIdentity& device : reply.devices) message["devices"].push_back(harness::to_json(device));
  for (const DeviceGroup& group : reply.groups) {
    message["groups"].push_back({{"devices", group.devices}, {"name", group.name}});
  }
  return message;
}

json message_of(const PreparedReply&) { return {{"type", "prepared"}}; }

json message_of(const ErrorReply& reply) { return {{"type", "error"}, {"usage", reply.usage}, {"text", reply.text}}; }

json message_of(const ObservationReply& reply) {
  return {{"type", "observation"}, {"sequence", reply.sequence}, {"observation", harness::to_json(reply.observation)}};
}

json message_of(const FinishedReply& reply) {
  const harness::Execution& execution = reply.execution;
  json watched = json::array();
  for (const harness::GpuTelemetry& gpu : execution.telemetry) watched.push_back(harness::to_json(gpu));
  json rules = json::array();
  for (const harness::Mismatch& rule : execution.broken_rules) rules.push_back(harness::to_json(rule));
  return {{"type", "finished"},
          {"sequence", reply.sequence},
          {"lost_trace", reply.lost_trace},
          {"status", static_cast<unsigned>(execution.status)},
          {"reason", execution.reason},
          {"exit_code", execution.program.exit_code ? json(*execution.program.exit_code) : json(nullptr)},
          {"signal", execution.program.signal ? json(*execution.program.signal) : json(nullptr)},
          {"broken_rules", std::move(rules)},
          {"telemetry", std::move(watched)},
          {"duration_ms", execution.duration_ms},
          {"contaminated", execution.contaminated}};
}

harness::Execution::Status status_from(std::uint64_t number) {
  using Status = harness::Execution::Status;
  if (number > static_cast<std::uint64_t>(Status::crashed))
    throw ProtocolError(fmt::format("unknown status {}", number));
  return static_cast<Status>(number);
}

FinishedReply finished_from(const json& message) {
  FinishedReply reply{.sequence = unsigned_at(message, "sequence"), .execution = {}};
  harness::Execution& execution = reply.execution;
  reply.lost_trace = string_at(message, "lost_trace");
  execution.status = status_from(unsigned_at(message, "status"));
  execution.reason = string_at(message, "reason");
  execution.program = {.exit_code = optional_int_at(message, "exit_code"),
                       .signal = optional_int_at(message, "signal")};
  for (const json& rule : message.at("broken_rules").get_ref<const json::array_t&>()) {
    execution.broken_rules.push_back(harness::mismatch_from_json(rule));
  }
  for (const json& gpu : message.at("telemetry").get_ref<const json::array_t&>()) {
    execution.telemetry.push_back(harness::gpu_telemetry_from_json(gpu));
  }
  execution.duration_ms = message.at("duration_ms").get<double>();
  execution.contaminated = message.at("contaminated").get<bool>();
  return reply;
}

IdentityReply identity_from(const json& message) {
  IdentityReply reply;
  for (const json& device : message.at("devices").get_ref<const json::array_t&>()) {
    reply.devices.push_back(harness::device_identity_from_json(device));
  }
  for (const json& group : message.at("groups").get_ref<const json::array_t&>()) {
    reply.groups.push_back({.devices = group.at("devices").get<std::vector<int>>(), .name = string_at(group, "name")});
  }
  return reply;
}

Reply reply_from(const json& message) {
  const std::string type = string_at(message, "type");
  if (type == "observation") {
    return ObservationReply{.sequence = unsigned_at(message, "sequence"),
                            .observation = harness::observation_from_json(message.at("observation"))};
  }
  if (type == "finished") return finished_from(message);
  if (type == "identity") {
    return identity_from(message);
  }
  if (type == "prepared") return PreparedReply{};
  if (type == "error") {
    return ErrorReply{.usage = message.at("usage").get<bool>(), .text = string_at(message, "text")};
  }
  throw ProtocolError(fmt::format("unknown reply \"{}\"", type));
}

template <typename Result>
Result decode(std::string_view body, Result (*from)(const json&)) {
  try {
    return from(json::parse(body));
  } catch (const json::exception& error) {
    throw ProtocolError(fmt::format("a message that cannot be read: {}", error.what()));
  } catch (const ProtocolError&) {
    throw;
  } catch (const Error& error) {
    throw ProtocolError(error.what());
  }
}

}  // namespace

std::string encode(const Request& request) {
  return dump(std::visit([](const auto& message) { return message_of(message); }, request));
}

std::string encode(const Reply& reply) {
  return dump(std::visit([](const auto& message) { return message_of(message); }, reply));
}

Request decode_request(std::string_view body) { return decode(body, request_from); }

Reply decode_reply(std::string_view body) { return decode(body, reply_from); }

std::string encode(const ChildRequest& request) { return dump(message_of(request)); }

ChildRequest decode_child_request(std::string_view body) { return decode(body, child_request_from); }

}  // namespace gpucheck::runner
