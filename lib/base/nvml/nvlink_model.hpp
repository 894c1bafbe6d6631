#pragma once

#include <string_view>

namespace gpucheck {

/// What is built onto a model of GPU that has NVLink.
struct NvlinkModel {
  enum class Form {
    board,   ///< SXM modules and superchips: all links are wired to other GPUs, or to switches
    bridge,  ///< cards: links are up where a bridge is fitted between two of them
  };
  Form form = Form::board;
  int links = 0;   ///< that are up: of a board all that it has, of a card with its bridges; 0: not known
  int mbps = 0;    ///< 10^6 bytes a second of each, one way, as NVML gives it; 0: not known
  int to_one = 0;  ///< the fewest to one other GPU without a switch between; 0: not every GPU is linked to every other
};

/// The model of a GPU by the name that its driver gives ("NVIDIA H100 80GB HBM3"); null for one that is not known.
[[nodiscard]] const NvlinkModel* nvlink_model(std::string_view gpu_name) noexcept;

}  // namespace gpucheck
