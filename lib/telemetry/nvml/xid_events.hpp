#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/nvml/nvml_library.hpp"

namespace gpucheck::telemetry::nvml {

using namespace gpucheck::nvml;  // the library's own names

/// Listens for critical errors ("XIDs") of GPUs. Used by one thread.
class XidEvents {
 public:
  explicit XidEvents(const Library& library);
  ~XidEvents();
  XidEvents(const XidEvents&) = delete;
  XidEvents& operator=(const XidEvents&) = delete;

  struct Listening {
    std::string problem;      ///< why nothing will be heard; empty where it worked
    bool has_failed = false;  ///< the driver tried and failed; else it does not offer this
  };
  /// From now on. Not every driver offers it.
  [[nodiscard]] Listening listen(Device device);

  struct Xid {
    Device device;
    std::int64_t number;
  };
  struct Taken {
    std::vector<Xid> xids;
    std::string problem;  ///< how the driver failed to say whether there are more; empty where it did not
  };
  /// What was reported since the last call. Waits for nothing.
  [[nodiscard]] Taken take() const;

 private:
  const Library& library_;
  EventSet events_ = nullptr;
  Listening none_;             ///< why there is no set
  bool is_listening_ = false;  ///< to one GPU at least
};

}  // namespace gpucheck::telemetry::nvml
