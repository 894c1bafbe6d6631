#include <gtest/gtest.h>
#include <memory>
#include <thread>

#include "device/check.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/memory/buffer.hpp"
#include "tensor/libraries/matrix_library.hpp"
#include "tensor/libraries/precision.hpp"
#include "tensor/libraries/workspaces.hpp"

// Workspaces of the vendor's libraries and settings of their precision.
namespace gpucheck::tensor {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

TEST(WorkspaceBytes, AreWhatTheConfigurationSays) {
  EXPECT_EQ(workspace_bytes(":4096:8", 9, 0), 32 * mebibyte);
  EXPECT_EQ(workspace_bytes(":4096:2:16:8", 9, 0), 8519680U);
  EXPECT_EQ(workspace_bytes(":128:8:64:16:32:32", 9, 0), 3072U * 1024U);
  EXPECT_EQ(workspace_bytes(":0:0", 9, 0), 0U);
}

TEST(WorkspaceBytes, AreTheDevicesWhereItSaysNothing) {
  for (const char* const config : {static_cast<const char*>(nullptr), "", "-1", "junk", ":16", "4096:8"}) {
    EXPECT_EQ(workspace_bytes(config, 9, 0), 32 * mebibyte);
    EXPECT_EQ(workspace_bytes(config, 8, 0), 8519680U);
    EXPECT_EQ(workspace_bytes(config, 9, 1), 8519680U);
  }
}

class Libraries : public testing::Test {
 protected:
  [[nodiscard]] std::int64_t active_bytes() { return runtime_.allocator().stats().active_bytes.all.current; }
  [[nodiscard]] Workspace workspace_on(device::Stream stream) {
    const runtime::CurrentStreamGuard guard(runtime_, stream);
    return workspace_for_current_stream(runtime_);
  }

  std::unique_ptr<device::Driver> driver_ = sim::make_driver({.profile = sim::profile("h100")});
  std::unique_ptr<device::Device> device_ = driver_->open(0).value();
  runtime::Runtime runtime_{*device_};
};

TEST_F(Libraries, AWorkspaceIsKeptUntilItIsCleared) {
  const Workspace first = workspace_for_current_stream(runtime_);
  EXPECT_EQ(first.bytes, 32 * mebibyte);
  EXPECT_EQ(active_bytes(), static_cast<std::int64_t>(32 * mebibyte));
  EXPECT_EQ(workspace_for_current_stream(runtime_).data, first.data);
  EXPECT_EQ(active_bytes(), static_cast<std::int64_t>(32 * mebibyte));
  clear_workspaces(runtime_);
  EXPECT_EQ(active_bytes(), 0);
  clear_workspaces(runtime_);
}

TEST_F(Libraries, AnotherConfigurationIsForWorkspacesMadeLater) {
  const Workspace first = workspace_for_current_stream(runtime_);
  set_workspace_config(runtime_, ":16:1");
  EXPECT_EQ(workspace_for_current_stream(runtime_).data, first.data);
  clear_workspaces(runtime_);
  EXPECT_EQ(workspace_for_current_stream(runtime_).bytes, 16384U);
  set_workspace_config(runtime_, ":0:0");
  clear_workspaces(runtime_);
  EXPECT_EQ(workspace_for_current_stream(runtime_).data, nullptr);
  set_workspace_config(runtime_, std::nullopt);
  clear_workspaces(runtime_);
  EXPECT_EQ(workspace_for_current_stream(runtime_).bytes, 32 * mebibyte);
}

TEST_F(Libraries, StreamsAndThreadsHaveWorkspacesOfTheirOwn) {
  const device::Stream side = runtime_.streams().next();
  const Workspace here = workspace_for_current_stream(runtime_);
  const Workspace beside = workspace_on(side);
  EXPECT_NE(here.data, beside.data);
  Workspace of_thread;
  std::thread([&] { of_thread = workspace_on(side); }).join();
  EXPECT_NE(of_thread.data, beside.data);
  EXPECT_EQ(active_bytes(), static_cast<std::int64_t>(3 * 32 * mebibyte));
  Workspace of_later_thread;
  std::thread([&] { of_later_thread = workspace_on(side); }).join();
  EXPECT_EQ(of_later_thread.data, of_thread.data) << "the first one gave its place up";
}

TEST_F(Libraries, TwoThreadsAtATimeDoNotShare) {
  Workspace first;
  Workspace second;
  std::thread outer([&] {
    first = workspace_for_current_stream(runtime_);
    std::thread([&] { second = workspace_for_current_stream(runtime_); }).join();
  });
  outer.join();
  EXPECT_NE(first.data, second.data);
}

/// Counts how often a library is asked how it goes about a product.
class AskedDevice : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  device::Result<device::ProductAlgorithm> choose_algorithm(const device::MatrixProduct& product,
                                                            std::uint64_t limit) override {
    ++asked;
    return ForwardingDevice::choose_algorithm(product, limit);
  }
  int asked = 0;
};

TEST(MatrixLibrary, IsAskedOnceForEachProduct) {
  const auto driver = sim::make_driver({.profile = sim::profile("h100")});
  AskedDevice device(driver->open(0).value());
  runtime::Runtime runtime(device);
  runtime::Buffer<float> operand(runtime, 64, runtime.current_stream());
  device::check(device, device.fill(operand.data(), 0, operand.size_bytes(), runtime.current_stream()), "fill");
  runtime::Buffer<float> result(runtime, 64, runtime.current_stream());
  const device::ProductOperands operands{.a = operand.data(), .b = operand.data(), .d = result.data()};
  device::MatrixProduct product{.m = 1, .n = 1, .k = 2, .leading_a = 1, .leading_b = 2, .leading_d = 1};
  EXPECT_TRUE(multiply_by_library(runtime, product, operands));
  product.scale = 2;
  EXPECT_TRUE(multiply_by_library(runtime, product, operands));
  EXPECT_EQ(device.asked, 1) << "factors do not matter";
  product.beta = 3;
  EXPECT_TRUE(multiply_by_library(runtime, product, operands));
  EXPECT_EQ(device.asked, 2) << "but whether the result is read";
  product.b = device::ElementType::int8;
  EXPECT_FALSE(multiply_by_library(runtime, product, operands)) << "no such product";
  EXPECT_FALSE(multiply_by_library(runtime, product, operands));
  EXPECT_EQ(device.asked, 3);
  product.m = 0;
  EXPECT_THROW(static_cast<void>(multiply_by_library(runtime, product, operands)), device::DeviceError);
}

TEST(MatmulPrecision, HasNamesInAnyLetters) {
  EXPECT_EQ(parse_matmul_precision("highest"), MatmulPrecision::highest);
  EXPECT_EQ(parse_matmul_precision("High"), MatmulPrecision::high);
  EXPECT_EQ(parse_matmul_precision("MEDIUM"), MatmulPrecision::medium);
  EXPECT_EQ(parse_matmul_precision("fastest"), std::nullopt);
  EXPECT_EQ(to_text(MatmulPrecision::high), "high");
}

TEST(MatmulDefaults, AllowTf32WhereTheEnvironmentDoes) {
  EXPECT_FALSE(default_matmul_settings(nullptr).allow_tf32());
  EXPECT_FALSE(default_matmul_settings("0").allow_tf32());
  EXPECT_FALSE(default_matmul_settings("yes").allow_tf32()) << "PyTorch takes 0 and 1 only";
  EXPECT_TRUE(default_matmul_settings("1").allow_tf32());
  EXPECT_EQ(default_matmul_settings("1").float32_precision, MatmulPrecision::high);
}

class PrecisionSettings : public testing::Test {
 protected:
  ~PrecisionSettings() override {
    set_matmul_settings(matmul_);
    set_cudnn_settings(cudnn_);
  }
  MatmulSettings matmul_ = matmul_settings();
  CudnnSettings cudnn_ = cudnn_settings();
};

TEST_F(PrecisionSettings, AllowTf32AndThePrecisionAreOne) {
  set_float32_matmul_precision(MatmulPrecision::medium);
  EXPECT_TRUE(allow_tf32());
  set_allow_tf32(false);
  EXPECT_EQ(float32_matmul_precision(), MatmulPrecision::highest);
  set_allow_tf32(true);
  EXPECT_EQ(float32_matmul_precision(), MatmulPrecision::high);
}

TEST_F(PrecisionSettings, OfReductionsAreApart) {
  EXPECT_TRUE(allow_fp16_reduced_precision_reduction());
  EXPECT_TRUE(allow_bf16_reduced_precision_reduction());
  set_allow_fp16_reduced_precision_reduction(false);
  EXPECT_FALSE(allow_fp16_reduced_precision_reduction());
  EXPECT_TRUE(allow_bf16_reduced_precision_reduction());
  change_matmul_settings([](MatmulSettings& settings) {
    std::swap(settings.allow_fp16_reduced_precision_reduction, settings.allow_bf16_reduced_precision_reduction);
  });
  EXPECT_TRUE(allow_fp16_reduced_precision_reduction());
  EXPECT_FALSE(allow_bf16_reduced_precision_reduction());
}

TEST_F(PrecisionSettings, OfCudnnChangeForAScope) {
  const CudnnSettings before = cudnn_settings();
  EXPECT_TRUE(before.allow_tf32);
  {
    const CudnnScope scope({.benchmark = true, .allow_tf32 = false});
    EXPECT_FALSE(cudnn_settings().allow_tf32);
    EXPECT_TRUE(cudnn_settings().benchmark);
    EXPECT_TRUE(cudnn_settings().enabled) << "left as it was";
    {
      const CudnnScope inner({.allow_tf32 = true});
      EXPECT_TRUE(cudnn_settings().allow_tf32);
      EXPECT_TRUE(cudnn_settings().benchmark);
    }
    EXPECT_FALSE(cudnn_settings().allow_tf32);
  }
  EXPECT_EQ(cudnn_settings(), before);
}

}  // namespace
}  // namespace gpucheck::tensor
