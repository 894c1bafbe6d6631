#include "runner/worker/protocol.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace gpucheck::runner {
namespace {

template <typename Message>
Message there_and_back(const Message& message) {
  return std::get<Message>(decode_reply(encode(Reply(message))));
}

TEST(Protocol, RequestsComeBackAsTheyWere) {
  const RunRequest sent{
      .sequence = 7,
      .case_name = "alloc.fuzz",
      .settings = {.device = "sim:h100",
                   .seed = std::numeric_limits<std::uint64_t>::max(),
                   .allocator = {.kind = runtime::AllocatorChoice::Kind::library,
                                 .library = "./mine.so",
                                 .free_symbol = "release"},
                   .fault = "lost_event",
                   .parameters = {{"count", std::int64_t{-3}}, {"fast", true}, {"ratio", 1.0}, {"text", "a \"b\""}},
                   .case_folders = {"cases of ours", "more"},
                   .golden_directory = "my goldens"},
      .trace_path = "traces/alloc.fuzz.json",
      .recording = "{\"a\": \"recording\"}\n",
      .silent_gpus = 2,
      .program_folder = "/site/a case",
      .program_digest = "00ff"};
  const auto received = std::get<RunRequest>(decode_request(encode(Request(sent))));
  EXPECT_EQ(received.sequence, 7U);
  EXPECT_EQ(received.case_name, "alloc.fuzz");
  EXPECT_EQ(received.settings, sent.settings);
  EXPECT_EQ(received.trace_path, sent.trace_path);
  EXPECT_EQ(received.recording, sent.recording);
  EXPECT_EQ(received.silent_gpus, 2U);
  EXPECT_EQ(received.program_folder, "/site/a case");
  EXPECT_EQ(received.program_digest, "00ff");
  EXPECT_EQ(std::get<RunRequest>(decode_request(encode(Request(RunRequest{})))).recording, std::nullopt);

  const auto identify = std::get<IdentifyRequest>(decode_request(encode(Request(IdentifyRequest{"auto", 5}))));
  EXPECT_EQ(identify.device, "auto");
  EXPECT_EQ(identify.seed, 5U);
}

TEST(Protocol, EveryKindOfValueComesBackExactly) {
  using harness::Value;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Value& value :
       {Value(true), Value(std::numeric_limits<std::int64_t>::min()), Value(0.1), Value(1.0), Value(-0.0),
        Value(infinity), Value(std::string("line\nend")), Value(std::vector<bool>{true, false}),
        Value(std::vector<std::int64_t>{}), Value(std::vector<double>{}), Value(std::vector<double>{1.0, -infinity}),
        Value(std::vector<std::string>{"", "x"})}) {
    const auto received = there_and_back(ObservationReply{.sequence = 1, .observation = {"key", value}});
    EXPECT_EQ(received.observation.value, value) << harness::to_text(value);
    EXPECT_EQ(received.observation.key, "key");
  }
  const auto nan = there_and_back(ObservationReply{1, {"key", std::nan("")}});
  EXPECT_TRUE(std::isnan(std::get<double>(nan.observation.value)));
}

TEST(Protocol, TextThatIsNotUtf8DoesNotStopAMessage) {
  const auto received = there_and_back(ObservationReply{1,
                                                        {"k\xff", std::string("a\xff"
                                                                              "b")}});
  EXPECT_EQ(received.observation, (harness::Observation{"k\xef\xbf\xbd", std::string("a\xef\xbf\xbd"
                                                                                     "b")}));
}

TEST(Protocol, TheEndOfACaseComesBackAsItWas) {
  const harness::Execution sent{.status = harness::Execution::Status::completed,
                                .reason = "r",
                                .program = {.exit_code = 77, .signal = {}},
                                .broken_rules = {{"rule.leak", "0 bytes", "512 bytes", "rule"}},
                                .telemetry = {{.device = 1,
                                               .samples = 12,
                                               .gauges = {{"power_draw_mw", 80'000, 91'234.5, 99'000}},
                                               .changes = {{"ecc_volatile_corrected", 2}},
                                               .xids = {48, 79},
                                               .problem = "p"}},
                                .duration_ms = 1.25,
                                .contaminated = true};
  const auto received = there_and_back(FinishedReply{.sequence = 9, .execution = sent, .lost_trace = "no room"});
  EXPECT_EQ(received.sequence, 9U);
  EXPECT_EQ(received.execution.status, sent.status);
  EXPECT_EQ(received.execution.reason, "r");
  EXPECT_EQ(received.execution.program.exit_code, 77);
  EXPECT_FALSE(received.execution.program.signal.has_value());
  ASSERT_EQ(received.execution.broken_rules.size(), 1U);
  EXPECT_EQ(received.execution.broken_rules[0].seen, "512 bytes");
  EXPECT_EQ(received.execution.telemetry, sent.telemetry);
  EXPECT_EQ(received.execution.duration_ms, 1.25);
  EXPECT_TRUE(received.execution.contaminated);
  EXPECT_EQ(received.lost_trace, "no room");
}

TEST(Protocol, EachStatusComesBackAsItWasAndNoOther) {
  using Status = harness::Execution::Status;
  for (const Status status : {Status::completed, Status::skipped, Status::error, Status::crashed}) {
    for (const bool contaminated : {false, true}) {
      harness::Execution sent;
      sent.status = status;
      sent.contaminated = contaminated;
      const auto received = there_and_back(FinishedReply{.sequence = 1, .execution = sent});
      EXPECT_EQ(received.execution.status, status);
      EXPECT_EQ(received.execution.contaminated, contaminated);
    }
  }
  const std::string body = encode(Reply(FinishedReply{}));
  for (const char* beyond : {"4", "5", "255", "18446744073709551615"}) {
    std::string other = body;
    const std::string status = "\"status\":";
    other.replace(other.find(status) + status.size(), 1, beyond);
    EXPECT_THROW(decode_reply(other), ProtocolError) << other;
  }
}

TEST(Protocol, WhatADeviceIsComesBackAsItWas) {
  IdentityReply sent;
  sent.devices.resize(2);
  sent.devices[1].name = "NVIDIA H100";
  sent.devices[1].total_memory_bytes = 85'000'000'000;
  sent.groups = {{.devices = {0, 1}, .name = "cuda:0,1"}};
  const auto received = there_and_back(sent);
  ASSERT_EQ(received.devices.size(), 2U);
  EXPECT_EQ(received.devices[1].name, "NVIDIA H100");
  EXPECT_EQ(received.devices[1].total_memory_bytes, 85'000'000'000U);
  ASSERT_EQ(received.groups.size(), 1U);
  EXPECT_EQ(received.groups[0].devices, (std::vector{0, 1}));
  EXPECT_EQ(received.groups[0].name, "cuda:0,1");
  EXPECT_NO_THROW(there_and_back(PreparedReply{}));
  EXPECT_EQ(std::get<PrepareRequest>(decode_request(encode(Request(PrepareRequest{.device = "cuda:3"})))).device,
            "cuda:3");
  const auto error = there_and_back(ErrorReply{.usage = true, .text = "no such device"});
  EXPECT_TRUE(error.usage);
  EXPECT_EQ(error.text, "no such device");
}

TEST(Protocol, RejectsWhatIsNoMessage) {
  for (
      const char* body :
      {"", "{", "[]", "null", "{}", R"({"type": 7})", R"({"type": "nonsense"})", R"({"type": "finished"})",
       R"({"type": "finished", "sequence": -1})", R"({"type": "observation", "sequence": 1, "observation": 3})",
       R"({"type":"finished","sequence":1,"lost_trace":"","status":4,"reason":"","exit_code":null,"signal":null,"broken_rules":[],"telemetry":[],"duration_ms":1,"contaminated":false})",
       R"({"type":"finished","sequence":1,"lost_trace":"","status":0,"reason":"","exit_code":null,"signal":null,"broken_rules":{},"telemetry":[],"duration_ms":1,"contaminated":false})"}) {
    EXPECT_THROW(decode_reply(body), ProtocolError) << body;
    EXPECT_THROW(decode_request(body), ProtocolError) << body;
  }
  for (const char* body : {"[1]", "{}", R"({"case": "a.b", "child": "c"})", R"({"case": 1, "child": "c"})"}) {
    EXPECT_THROW(decode_child_request(body), ProtocolError) << body;
  }
}

TEST(Protocol, AChildGetsTheSettingsOfItsCase) {
  const ChildRequest sent{.case_name = "alloc.fuzz",
                          .child_name = "dies",
                          .settings = {.device = "cuda:1",
                                       .seed = 5,
                                       .allocator = runtime::parse_allocator_choice("async"),
                                       .fault = "lost_event",
                                       .parameters = {{"bytes", std::int64_t{1} << 40}, {"name", "it's \"x\""}}}};
  const ChildRequest received = decode_child_request(encode(sent));
  EXPECT_EQ(received.case_name, "alloc.fuzz");
  EXPECT_EQ(received.child_name, "dies");
  EXPECT_EQ(received.settings, sent.settings);
}

}  // namespace
}  // namespace gpucheck::runner
