#pragma once

#include <cstdint>
#include <string>

namespace gpucheck::observe::detail {

/// Where an address lies in the files that this process is made of.
struct ModuleAddress {
  std::string name;           ///< of the file, without its folder; empty when in none
  std::uintptr_t offset = 0;  ///< as tools such as addr2line want it
  bool is_program = false;    ///< the program itself, not a shared library
};

ModuleAddress find_module(std::uintptr_t address);

}  // namespace gpucheck::observe::detail
