#include "harness/case/needs.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/text/count_text.hpp"
#include "base/text/units.hpp"

namespace gpucheck::harness {
namespace {

using device::Status;

std::optional<std::string> missing_devices(Context& context, int needed) {
  if (needed == 0) return {};
  const device::Result<int> count = context.driver().device_count();
  if (!count && count.error() != Status::no_device) throw device::DeviceError(count.error(), "counting the devices");
  const int found = std::min(count ? *count : 0, static_cast<int>(context.device_count()));
  if (found >= needed) return {};
  return too_few_devices(needed, found);
}

std::optional<std::string> missing_memory(Context& context, const Needs& needs, std::size_t index) {
  const device::Result<device::MemoryInfo> info = context.device(index).memory_info();
  if (!info) throw device::DeviceError(info.error(), "asking for free memory");
  const double share = needs.memory_fraction * static_cast<double>(info->total_bytes);
  const std::uint64_t needed = std::max(needs.memory_bytes, static_cast<std::uint64_t>(share));
  if (info->free_bytes >= needed) return {};
  return fmt::format("needs {} of free device memory, {} of {} is free", format_bytes(needed),
                     format_bytes(info->free_bytes), format_bytes(info->total_bytes));
}

std::optional<std::string> missing_memory(Context& context, const Needs& needs) {
  if (needs.devices == 0 || (needs.memory_bytes == 0 && needs.memory_fraction == 0)) return {};
  for (std::size_t i = 0; i < context.device_count(); ++i) {
    if (auto reason = missing_memory(context, needs, i)) return reason;
  }
  return {};
}

std::optional<std::string> missing_library(const std::string& name) {
  // Never closed: the case is about to use it, and some of these libraries do not
  // survive being unloaded.
  if (::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return {};
  const char* why = ::dlerror();
  return fmt::format("needs {}: {}", name, why != nullptr ? why : "it cannot be loaded");
}

std::optional<std::string> other_allocator(const Context& context) {
  using Kind = runtime::AllocatorChoice::Kind;
  const Needs& needs = context.test_case().needs;
  const Kind chosen = context.allocator().kind;
  if (needs.caching_allocator && chosen != Kind::caching) {
    return fmt::format("needs the caching allocator, not --allocator {}", runtime::to_text(context.allocator()));
  }
  if (needs.allocator_library && chosen != Kind::library) {
    return "checks an allocator library: name one with --allocator FILE.so";
  }
  return {};
}

std::optional<std::string> real_device(Context& context) {
  if (!context.test_case().needs.simulated_device || context.driver().kind() == "sim") return {};
  return "needs the simulated device: run it with --device sim";
}

std::optional<std::string> alone(const Context& context) {
  const World& world = context.world();
  if (!context.test_case().needs.several_processes) return {};
  if (world.size > 1 && !world.rendezvous.empty()) return {};
  if (world.size > 1) {
    return "the processes of the job do not know where to meet: say --rendezvous tcp://HOST:PORT, of the machine of "
           "rank 0, or a folder that all nodes see (gpucheck help between-nodes)";
  }
  return "needs several processes of one job: start gpucheck with srun or mpirun (gpucheck help between-nodes)";
}

}  // namespace

std::string too_few_devices(int needed, int there) {
  return fmt::format("needs {}, {} {} there", count_text(needed, "device"), there, there == 1 ? "is" : "are");
}

bool opens_no_device(const Case& test_case) {
  const Needs& needs = test_case.needs;
  return needs.devices == 0 || (needs.libraries.size() == 1 && needs.libraries.front() == management_library);
}

bool needs_no_context(const Case& test_case) {
  const bool asks_for_memory = test_case.needs.memory_bytes > 0 || test_case.needs.memory_fraction > 0;
  return opens_no_device(test_case) || (test_case.program && !asks_for_memory);
}

std::optional<std::string> unmet_need(Context& context) {
  const Needs& needs = context.test_case().needs;
  if (auto reason = other_allocator(context)) return reason;
  if (auto reason = real_device(context)) return reason;
  if (auto reason = alone(context)) return reason;
  // CUDA may not work at all, and what is missing of the library is said by who asks it.
  if (needs.devices > 0 && opens_no_device(context.test_case())) return {};
  if (auto reason = missing_devices(context, needs.devices)) return reason;
  if (auto reason = missing_memory(context, needs)) return reason;
  for (const std::string& library : needs.libraries) {
    if (auto reason = missing_library(library)) return reason;
  }
  return {};
}

}  // namespace gpucheck::harness
