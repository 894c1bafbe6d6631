#include "runtime/devices/device_name.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "runtime/streams/tests/pytorch_facts.hpp"

namespace gpucheck::runtime::test {
namespace {

std::string parse_error_of(std::string_view text) {
  try {
    static_cast<void>(parse_device_name(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(DeviceName, IsAKindAndPerhapsANumber) {
  EXPECT_EQ(parse_device_name("cuda"), (DeviceName{.type = "cuda", .index = std::nullopt}));
  EXPECT_EQ(parse_device_name("cuda:0"), (DeviceName{.type = "cuda", .index = 0}));
  EXPECT_EQ(parse_device_name("cuda:12"), (DeviceName{.type = "cuda", .index = 12}));
  EXPECT_EQ(to_text(parse_device_name("cpu")), "cpu");
  EXPECT_EQ(to_text(parse_device_name("cuda:10")), "cuda:10");
}

// Texts that PyTorch takes or rejects, in its words. What is not a GPU is rejected later.
TEST(DeviceName, AnythingElseIsRejectedAsPyTorchDoes) {
  const json facts = pytorch_facts(GPUCHECK_RUNTIME_FOLDER, "devices")["strings"];
  int rejected = 0;
  for (const auto& [text, outcome] : facts.items()) {
    if (!outcome.contains("raises") || outcome["raises"] == "ValueError") {
      EXPECT_EQ(parse_error_of(text), "no error") << text;
    } else {
      EXPECT_EQ(parse_error_of(text), outcome["text"].get<std::string>()) << text;
      ++rejected;
    }
  }
  EXPECT_EQ(rejected, 14);
  EXPECT_EQ(parse_error_of("cuda:1:2"), "Invalid device string: 'cuda:1:2'");
  EXPECT_EQ(parse_error_of("cuda:00"), "Invalid device string: 'cuda:00'");
}

TEST(DeviceName, KeepsANumberInEightBits) {
  EXPECT_EQ(parse_device_name("cuda:127").index, 127);
  EXPECT_EQ(parse_device_name("cuda:128").index, -128);
}

}  // namespace
}  // namespace gpucheck::runtime::test
