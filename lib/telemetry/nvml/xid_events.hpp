#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/nvml_library.hpp"

namespace gpucheck::telemetry::nvml {

using namespace gpucheck::nvml;  // the library's own names

/// Listens for critical errors ("XIDs") of GPUs. Used by one thread.
class XidEvents {
 public:
  explicit XidEvents(const Library& library);
  ~XidEvents();
  XidEvents(const XidEvents&) = delete;
  XidEvents& operator=(const XidEvents&) = delete;

  /// From now on. Empty where it worked, else why it did not: not every driver offers it.
  [[nodiscard]] std::string listen(Device device);

  struct Xid {
    Device device;
    std::int64_t number;
  };
  /// What was reported since the last call. Waits for nothing.
  [[nodiscard]] std::vector<Xid> take() const;

 private:
  const Library& library_;
  EventSet events_ = nullptr;
  std::string problem_;  ///< why there is no set
};

}  // namespace gpucheck::telemetry::nvml
