#include "observe/stacks/modules.hpp"

#include <errno.h>
#include <filesystem>
#include <link.h>

namespace gpucheck::observe::detail {
namespace {

struct Search {
  std::uintptr_t address;
  ModuleAddress found;
};

bool contains(const dl_phdr_info& module, std::uintptr_t address) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = module.dlpi_phdr[i];
    const std::uintptr_t start = module.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= start && address - start < part.p_memsz) return true;
  }
  return false;
}

int visit(dl_phdr_info* module, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!contains(*module, search.address)) return 0;
  const std::filesystem::path path(module->dlpi_name);
  // The program itself comes without a name.
  search.found = {path.empty() ? program_invocation_short_name : path.filename().string(),
                  search.address - module->dlpi_addr, path.empty()};
  return 1;
}

}  // namespace

ModuleAddress find_module(std::uintptr_t address) {
  Search search{address, {}};
  ::dl_iterate_phdr(&visit, &search);
  return search.found;
}

}  // namespace gpucheck::observe::detail
