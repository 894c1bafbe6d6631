#include "device/values/error_codes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpucheck::device {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// driver_types.h of CUDA 13.0 declares 134, the deprecated cudaErrorApiFailureBase included.
TEST(ErrorCodes, EveryCodeOfTheRuntimeIsKnown) {
  EXPECT_EQ(error_codes().size(), 134U);
  for (const ErrorCode& code : error_codes()) {
    EXPECT_TRUE(code.name.starts_with("cuda")) << code.code;
    EXPECT_FALSE(code.text.empty()) << code.code;
    EXPECT_EQ(find_error_code(code.code), &code);
  }
}

TEST(ErrorCodes, ThoseWithWhichCudaDoesNotStartHaveANextStep) {
  for (const int code :
       {3, 34, 35, 36, 46, 100, 101, 102, 127, 214, 304, 802, 803, 804, 805, 806, 807, 808, 809, 999}) {
    EXPECT_THAT(next_step_for(code), Not(IsEmpty())) << code;
  }
  EXPECT_THAT(next_step_for(802), HasSubstr("fabric manager"));
  EXPECT_THAT(next_step_for(803), HasSubstr("libcuda.so.1"));
  EXPECT_THAT(next_step_for(0), IsEmpty());
  for (int code = 0; code < 1000; ++code) {
    EXPECT_TRUE(next_step_for(code).empty() || find_error_code(code) != nullptr) << "a step for no code: " << code;
  }
}

TEST(ErrorCodes, WordsHaveNameAndNumber) {
  EXPECT_EQ(status_words(static_cast<Status>(802)), "system not yet initialized (cudaErrorSystemNotReady, 802)");
  EXPECT_EQ(status_words(static_cast<Status>(4711)), "unrecognized error code 4711");
  EXPECT_EQ(status_name(static_cast<Status>(804)), "cudaErrorCompatNotSupportedOnDevice");
}

}  // namespace
}  // namespace gpucheck::device
