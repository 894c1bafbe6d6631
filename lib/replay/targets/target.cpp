#include "replay/targets/target.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "replay/formats/trace/operations.hpp"

namespace gpucheck::replay {

void TraceTarget::carry_out(const Trace& /*trace*/, const Event& event) {
  throw Error(fmt::format("the allocator has no call for {}", shape_of(event.action).name));
}

}  // namespace gpucheck::replay
