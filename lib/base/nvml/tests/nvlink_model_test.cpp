#include "base/nvml/nvlink_model.hpp"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace gpucheck {
namespace {

using Form = NvlinkModel::Form;

TEST(NvlinkModel, IsKnownByTheDriversName) {
  const std::vector<std::tuple<std::string, Form, int>> models{{"NVIDIA H100 80GB HBM3", Form::board, 18},
                                                               {"NVIDIA H100 NVL", Form::bridge, 12},
                                                               {"NVIDIA H100 PCIe", Form::bridge, 12},
                                                               {"NVIDIA H100 80GB HBM2e", Form::bridge, 12},
                                                               {"NVIDIA H200", Form::board, 18},
                                                               {"NVIDIA H200 NVL", Form::bridge, 18},
                                                               {"NVIDIA H20", Form::board, 18},
                                                               {"NVIDIA H20-3e", Form::board, 18},
                                                               {"NVIDIA GH200 480GB", Form::board, 18},
                                                               {"NVIDIA B200", Form::board, 18},
                                                               {"NVIDIA GB200", Form::board, 18},
                                                               {"NVIDIA B300 SXM6 AC", Form::board, 18},
                                                               {"NVIDIA A100-SXM4-80GB", Form::board, 12},
                                                               {"A100-SXM4-40GB", Form::board, 12},
                                                               {"NVIDIA A100 80GB PCIe", Form::bridge, 12},
                                                               {"NVIDIA A100-PCIE-40GB", Form::bridge, 12},
                                                               {"NVIDIA A800-SXM4-80GB", Form::board, 8},
                                                               {"NVIDIA A800 80GB PCIe", Form::bridge, 8},
                                                               {"NVIDIA H800", Form::board, 8},
                                                               {"NVIDIA A30", Form::bridge, 4},
                                                               {"NVIDIA A40", Form::bridge, 4},
                                                               {"Tesla V100-SXM2-32GB", Form::board, 6},
                                                               {"Tesla V100-SXM3-32GB", Form::board, 6}};
  for (const auto& [name, form, links] : models) {
    const NvlinkModel* const model = nvlink_model(name);
    ASSERT_NE(model, nullptr) << name;
    EXPECT_EQ(model->form, form) << name;
    EXPECT_EQ(model->links, links) << name;
  }
}

TEST(NvlinkModel, OfUnknownModelsTheFormMayBeKnown) {
  ASSERT_NE(nvlink_model("Tesla P100-SXM2-16GB"), nullptr);
  EXPECT_EQ(nvlink_model("Tesla P100-SXM2-16GB")->form, Form::board);
  EXPECT_EQ(nvlink_model("Tesla P100-SXM2-16GB")->links, 0);
  ASSERT_NE(nvlink_model("NVIDIA X900 PCIe"), nullptr);
  EXPECT_EQ(nvlink_model("NVIDIA X900 PCIe")->form, Form::bridge);
  for (const char* name : {"", "NVIDIA", "NVIDIA RTX A6000", "NVIDIA GeForce RTX 5090", "NVIDIA A10", "NVIDIA A100X",
                           "GRID A100X-40C", "NVIDIA H100XM-80C", "NVIDIA H100", "Fake"}) {
    EXPECT_EQ(nvlink_model(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace gpucheck
