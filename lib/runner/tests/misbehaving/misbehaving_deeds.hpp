#pragma once

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

#include "misbehaving_cases.hpp"

/// What cases and devices that misbehave do.
namespace gpucheck::runner::testing {

inline std::string mark_path(const std::string& name) {
  const char* folder = std::getenv(folder_variable);
  return std::string(folder != nullptr ? folder : "/tmp") + "/" + name;
}

inline void leave_mark(const std::string& name) { std::ofstream(mark_path(name), std::ios::app) << ::getpid() << '\n'; }

/// A sanitizer's own handler would turn the signal into an exit.
inline void die_by(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

[[noreturn]] inline void wait_for_ever() {
  while (true) ::pause();
}

}  // namespace gpucheck::runner::testing
