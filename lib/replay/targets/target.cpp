#include "replay/targets/target.hpp"

#include <fmt/format.h>
#include <utility>

#include "base/error.hpp"
#include "replay/formats/trace/operations.hpp"

namespace gpucheck::replay {

void TraceTarget::carry_out(const Trace& /*trace*/, const Event& event) {
  throw Error(fmt::format("the allocator has no call for {}", shape_of(event.action).name));
}

void TraceTarget::free_later(void* address, std::uint16_t number) {
  if (freed_later_.size() <= number) freed_later_.resize(number + std::size_t{1});
  freed_later_[number] = address;
}

void TraceTarget::end_of_uses(std::uint16_t number) {
  if (number >= freed_later_.size()) return;  // what was to be freed could not be allocated
  if (void* const address = std::exchange(freed_later_[number], nullptr)) free(address);
}

}  // namespace gpucheck::replay
