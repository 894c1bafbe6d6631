#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gpucheck::observe {

class MemoryHistory;

/// A part of the program that its user named: what a scripted function or
/// `record_function` is to PyTorch. While it lives, stacks captured on this thread begin
/// with its name (those of nested scopes before it), and `history`, while it records,
/// keeps when it began and ended. Scopes end in the reverse order of their start, on the
/// thread that made them. File and line are those of the code that made it.
class Scope {
 public:
  Scope(MemoryHistory& history, std::string_view name, const char* file = __builtin_FILE(),
        int line = __builtin_LINE());
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  MemoryHistory& history_;
  std::string name_;
};

namespace detail {

/// Number of a name, file and line; the same ones have the same number.
using ScopeId = std::uint32_t;
struct ScopeName {
  std::string name;
  std::string file;
  int line = 0;
  auto operator<=>(const ScopeName&) const = default;
};
/// The calling thread's scopes, outermost first.
std::span<const ScopeId> current_scopes() noexcept;
/// Thread-safe.
ScopeName scope_name(ScopeId id);

}  // namespace detail

}  // namespace gpucheck::observe
