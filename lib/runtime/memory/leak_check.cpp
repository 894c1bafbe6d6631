#include "runtime/memory/leak_check.hpp"

#include <fmt/format.h>

namespace gpucheck::runtime {

void require_no_leak(Runtime& runtime, const std::function<void()>& action) {
  const auto in_use = [&runtime] { return runtime.allocator().stats().allocated_bytes.all.current; };
  const std::int64_t before = in_use();
  action();
  const std::int64_t after = in_use();
  if (after > before) {
    throw LeakError(
        fmt::format("Device memory leaked: {} bytes were in use before, {} bytes are now. Free what was allocated.",
                    before, after));
  }
}

}  // namespace gpucheck::runtime
