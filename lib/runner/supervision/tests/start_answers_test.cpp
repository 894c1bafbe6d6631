#include "runner/supervision/start_answers.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

/// What is made of the answers of workers that have no case yet.
namespace gpucheck::runner {
namespace {

using Kind = RequestEnd::Kind;
using std::chrono::milliseconds;

RequestEnd asked_in_vain(Kind kind) {
  RequestEnd end;
  end.kind = kind;
  return end;
}

RequestEnd asked_and(Reply reply) {
  RequestEnd end = asked_in_vain(Kind::replied);
  end.reply = std::move(reply);
  return end;
}

IdentityReply devices_by(RequestEnd end, const std::string& device = "cuda") {
  Options options;
  options.settings.device = device;
  return identity_from(std::move(end), options, milliseconds(1500));
}

/// The text of the error; "usage: " before that of a UsageError.
std::string start_error(RequestEnd end, const std::string& device = "sim") {
  try {
    static_cast<void>(devices_by(std::move(end), device));
  } catch (const UsageError& error) {
    return std::string("usage: ") + error.what();
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(IdentityFrom, AnAnswerIsTheDevices) {
  IdentityReply two;
  two.devices.resize(2);
  two.devices[1].uuid = "GPU-1";
  two.groups = {{.devices = {0}, .name = "cuda:0"}};
  const IdentityReply got = devices_by(asked_and(two));
  ASSERT_EQ(got.devices.size(), 2U);
  EXPECT_EQ(got.devices[1].uuid, "GPU-1");
  EXPECT_EQ(got.groups.at(0).name, "cuda:0");
}

TEST(IdentityFrom, AnErrorIsOfTheNameOrOfTheDevice) {
  EXPECT_EQ(start_error(asked_and(ErrorReply{.usage = true, .text = "no such device"})), "usage: no such device");
  EXPECT_EQ(start_error(asked_and(ErrorReply{.usage = false, .text = "out of order"})),
            "cannot use the device \"sim\": out of order");
  EXPECT_EQ(start_error(asked_and(PreparedReply{})),
            "cannot use the device \"sim\": the worker that asked it ended without an answer. Its last words: ");
}

TEST(IdentityFrom, ADriverThatGivesNoAnswerIsADeviceThatCannotBeUsed) {
  RequestEnd died = asked_in_vain(Kind::died);
  died.process.signal = 11;
  died.error_tail = "ouch";
  for (const char* device : {"auto", "cuda", "cuda:3"}) {
    const IdentityReply late = devices_by(asked_in_vain(Kind::deadline), device);
    ASSERT_EQ(late.devices.size(), 1U);
    EXPECT_EQ(late.devices[0].kind, "cuda");
    EXPECT_EQ(
        late.devices[0].problem,
        "CUDA does not start: no answer within 1.5 s: the driver hangs; look at the kernel's log, and restart the "
        "machine");
    ASSERT_EQ(late.groups.size(), 1U);
    EXPECT_EQ(late.groups[0].devices, std::vector{0});
    EXPECT_EQ(late.groups[0].name, "cuda:0");
    EXPECT_EQ(devices_by(died, device).devices.at(0).problem,
              "CUDA does not start: the worker that asked it ended without an answer (killed by signal 11 (SIGSEGV)). "
              "Its last words: ouch");
  }
}

TEST(IdentityFrom, AMistakeOfOthersThanTheDriverEndsTheRun) {
  EXPECT_EQ(
      start_error(asked_in_vain(Kind::deadline), "sim:h100"),
      "cannot use the device \"sim:h100\": no answer within 1.5 s: the driver hangs; look at the kernel's log, and "
      "restart the machine");
  RequestEnd garbage = asked_in_vain(Kind::broken_channel);
  garbage.reason = "wrote garbage";
  EXPECT_EQ(start_error(garbage, "cuda"),
            "cannot use the device \"cuda\": the worker that was to ask it wrote garbage");
  RequestEnd left = asked_in_vain(Kind::died);
  left.process.exit_code = 0;
  left.error_tail = "usage: true";
  const std::string no_answer =
      "cannot use the device \"cuda\": the worker that asked it ended without an answer. Its last words: ";
  EXPECT_EQ(start_error(left, "cuda"), no_answer + "usage: true") << "the program is another one";
  RequestEnd closed = asked_in_vain(Kind::closed_channel);
  closed.error_tail = "gone";
  EXPECT_EQ(start_error(closed, "cuda"), no_answer + "gone");
}

TEST(IdentityFrom, RepeatsNoMoreThanTheEndOfTheLastWords) {
  RequestEnd closed = asked_in_vain(Kind::closed_channel);
  closed.error_tail = "a" + std::string(1999, 'b');
  const std::string before =
      "cannot use the device \"sim\": the worker that asked it ended without an answer. Its last words: ";
  EXPECT_EQ(start_error(closed), before + closed.error_tail) << "2000 bytes are reported whole";
  closed.error_tail = "a" + std::string(2000, 'b');
  EXPECT_EQ(start_error(closed), before + std::string(2000, 'b'));
}

TEST(WhyNotPrepared, SaysWhatBecameOfTheWorker) {
  const auto why = [](const RequestEnd& end) { return why_not_prepared(end, milliseconds(2500)); };
  EXPECT_EQ(why(asked_and(ErrorReply{.usage = false, .text = "no context"})), "no context");
  EXPECT_EQ(why(asked_and(IdentityReply{})), "its worker gave an answer to something else");
  EXPECT_EQ(why(asked_in_vain(Kind::deadline)), "its worker was not ready within 2.5 s");
  EXPECT_EQ(why(asked_in_vain(Kind::closed_channel)), "its worker could no longer be reached");
  RequestEnd garbage = asked_in_vain(Kind::broken_channel);
  garbage.reason = "wrote garbage";
  EXPECT_EQ(why(garbage), "its worker wrote garbage");
  RequestEnd died = asked_in_vain(Kind::died);
  died.process.exit_code = 3;
  EXPECT_EQ(why(died),
            "its worker ended before it was ready (the process exited with code 3 before the case had "
            "finished)");
  died.process = {.exit_code = {}, .signal = 9};
  died.environment = EnvironmentFault{"memory_limit", "the limit of its cgroup"};
  EXPECT_EQ(why(died), "its worker ended before it was ready (killed by signal 9 (SIGKILL): the limit of its cgroup)");
}

}  // namespace
}  // namespace gpucheck::runner
