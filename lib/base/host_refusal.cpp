#include "base/host_refusal.hpp"

#include <array>
#include <atomic>
#include <string_view>
#include <sys/resource.h>

namespace gpucheck {
namespace {

/// Fixed storage: what notes has no memory left.
std::array<char, 512> noted_text;
enum class State { free, being_written, noted };
std::atomic<State> state = State::free;

void note(std::string_view text) noexcept {
  State expected = State::free;
  if (!state.compare_exchange_strong(expected, State::being_written)) return;
  noted_text[text.copy(noted_text.data(), noted_text.size() - 1)] = '\0';
  state = State::noted;
}

}  // namespace

HostRefusedError::HostRefusedError(const std::string& text) : EnvironmentError(text) { note(text); }

void note_host_refusal(const char* text) noexcept { note(text); }

std::string take_host_refusal() {
  if (state != State::noted) return {};
  std::string text = noted_text.data();
  state = State::free;
  return text;
}

bool has_address_limit() noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace gpucheck
