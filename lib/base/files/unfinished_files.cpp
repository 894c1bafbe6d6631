#include "base/files/unfinished_files.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <string_view>
#include <unistd.h>

namespace gpucheck {
namespace {

/// Fixed storage, since a handler may neither lock nor allocate; and nothing is ever
/// freed under its hands.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<bool> complete = false;  ///< the texts may be read
  std::array<char, PATH_MAX> name{};
  std::array<char, PATH_MAX> temporary_path{};
};

std::array<Slot, 16> slots;

void copy(std::string_view text, std::array<char, PATH_MAX>& to) noexcept {
  to[text.copy(to.data(), to.size() - 1)] = '\0';
}

std::size_t take_slot() noexcept {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].taken.exchange(true)) return i;
  }
  return slots.size();
}

bool is_printable(char letter) noexcept {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= ' ' && byte != 0x7F;
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& name, const std::string& temporary_path) noexcept
    : slot_(take_slot()) {
  if (slot_ == slots.size()) return;
  copy(name, slots[slot_].name);
  copy(temporary_path, slots[slot_].temporary_path);
  slots[slot_].complete = true;
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ == slots.size()) return;
  slots[slot_].complete = false;
  slots[slot_].taken = false;
}

std::size_t name_unfinished_files(std::span<char> buffer) noexcept {
  std::size_t used = 0;
  const auto append = [&](std::string_view text) {
    for (const char letter : text) {
      if (used < buffer.size()) buffer[used++] = is_printable(letter) ? letter : '?';
    }
  };
  for (const Slot& slot : slots) {
    if (!slot.complete) continue;
    if (used > 0) append(", ");
    append(slot.name.data());
  }
  return used;
}

void remove_unfinished_files() noexcept {
  for (const Slot& slot : slots) {
    if (slot.complete && slot.temporary_path[0] != '\0') ::unlink(slot.temporary_path.data());
  }
}

}  // namespace gpucheck
