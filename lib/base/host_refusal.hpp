#pragma once

#include <string>

#include "base/error.hpp"

/// The system refused this process memory or addresses: a limit of the machine, which nothing that is checked here may
/// be judged by, whoever catches the error.
namespace gpucheck {

/// Such an error. Making one notes its text.
class HostRefusedError : public EnvironmentError {
 public:
  explicit HostRefusedError(const std::string& text);
};

/// Notes a refusal without throwing; of several the first one is kept. Any thread may call it, also where memory has
/// run out. @param text with static storage.
void note_host_refusal(const char* text) noexcept;

/// What was noted since the last call; empty for nothing.
std::string take_host_refusal();

/// True where the process may not have all the addresses there are (`ulimit -v`).
bool has_address_limit() noexcept;

}  // namespace gpucheck
