#include "observe/stacks/native_stack.hpp"

#include <algorithm>
#include <backtrace.h>
#include <cxxabi.h>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <unordered_map>
#include <unwind.h>

#include "observe/stacks/modules.hpp"

namespace gpucheck::observe {
namespace {

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* data) noexcept {
  auto& counters = *static_cast<ProgramCounters*>(data);
  if (counters.count == ProgramCounters::max_count) return _URC_END_OF_STACK;
  const std::uintptr_t counter = _Unwind_GetIP(context);
  if (counter == 0) return _URC_END_OF_STACK;
  counters.values[counters.count++] = counter;
  return _URC_NO_REASON;
}

/// libbacktrace reports what it cannot find by giving nothing, so there is nothing to add.
void ignore_error(void*, const char*, int) {}

std::string demangle(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                         &std::free);
  return text ? text.get() : symbol;
}

std::string tidy_path(const char* path) {
  return path == nullptr ? "??" : std::filesystem::path(path).lexically_normal().string();
}

/// What is found at one program counter, with the symbols as the linker knows them.
struct Found {
  Stack frames;
  std::vector<std::string> symbols;

  void add(const char* symbol, const char* path, int line) {
    frames.push_back({symbol == nullptr ? "" : demangle(symbol), tidy_path(path), line});
    symbols.emplace_back(symbol == nullptr ? "" : symbol);
  }
};

int add_line(void* data, std::uintptr_t, const char* path, int line, const char* symbol) {
  if (path != nullptr || symbol != nullptr) static_cast<Found*>(data)->add(symbol, path, line);
  return 0;
}

void add_symbol(void* data, std::uintptr_t, const char* symbol, std::uintptr_t, std::uintptr_t) {
  if (symbol != nullptr) static_cast<Found*>(data)->add(symbol, nullptr, 0);
}

/// Whether a symbol belongs to a library rather than to its user. Symbols are read as
/// the C++ ABI writes them ("_ZN8gpucheck5cases..."), where a name cannot be mistaken
/// for a return type or an argument.
bool is_internal(std::string_view symbol) {
  if (symbol == "main" || symbol == "_start") return true;
  if (!symbol.starts_with("_Z")) return false;
  symbol.remove_prefix(std::min(symbol.find_first_not_of("ZNKVLR", 2), symbol.size()));
  if (symbol.starts_with("8gpucheck")) return !symbol.starts_with("8gpucheck5cases");
  constexpr std::array libraries{"S", "5boost", "3CLI", "7testing", "3fmt", "8nlohmann"};
  return std::ranges::any_of(libraries, [symbol](std::string_view name) { return symbol.starts_with(name); });
}

}  // namespace

[[gnu::noinline]] void unwind(ProgramCounters& counters) noexcept {
  counters.count = 0;
  _Unwind_Backtrace(&add_frame, &counters);
}

struct Symbolizer::State {
  struct Entry {
    Stack frames;
    Stack user_frames;
  };

  const Entry& entry(std::uintptr_t return_address);
  [[nodiscard]] Entry look_up(std::uintptr_t return_address) const;

  std::mutex mutex;
  std::unordered_map<std::uintptr_t, Entry> entries;
  /// libbacktrace's state can never be freed, so the process has one.
  backtrace_state* backtrace = [] {
    static backtrace_state* const state = backtrace_create_state(nullptr, 1, &ignore_error, nullptr);
    return state;
  }();
};

const Symbolizer::State::Entry& Symbolizer::State::entry(std::uintptr_t return_address) {
  const std::scoped_lock lock(mutex);
  const auto [place, is_new] = entries.try_emplace(return_address);
  if (is_new) place->second = look_up(return_address);
  return place->second;
}

Symbolizer::State::Entry Symbolizer::State::look_up(std::uintptr_t return_address) const {
  const std::uintptr_t call = return_address - 1;  // may be the last instruction of its function
  Found found;
  Found by_symbol;
  if (backtrace != nullptr) {
    backtrace_pcinfo(backtrace, call, &add_line, &ignore_error, &found);
    backtrace_syminfo(backtrace, call, &add_symbol, &ignore_error, &by_symbol);
  }
  if (found.frames.empty()) {
    found = by_symbol;
  } else if (!by_symbol.frames.empty() && !found.symbols.back().starts_with("_Z")) {
    // Debug information names a file's own functions without their namespaces.
    found.frames.back().name = by_symbol.frames.front().name;
    found.symbols.back() = by_symbol.symbols.front();
  }
  const detail::ModuleAddress module = detail::find_module(call);
  const std::string place = module.name.empty() ? "??" : fmt::format("{}+{:#x}", module.name, module.offset);
  if (found.frames.empty()) found.add(nullptr, nullptr, 0);
  Entry entry;
  for (std::size_t i = 0; i < found.frames.size(); ++i) {
    Frame& frame = found.frames[i];
    if (frame.name.empty()) frame.name = place;
    // An inlined function of a file's own is whose the function is that it was inlined into.
    const std::string& symbol = found.symbols[i].starts_with("_Z") ? found.symbols[i] : found.symbols.back();
    if (module.is_program && !is_internal(symbol)) entry.user_frames.push_back(frame);
  }
  entry.frames = std::move(found.frames);
  return entry;
}

Symbolizer::Symbolizer() : state_(std::make_unique<State>()) {}
Symbolizer::~Symbolizer() = default;

const Stack& Symbolizer::frames(std::uintptr_t return_address) { return state_->entry(return_address).frames; }

Stack Symbolizer::frames(std::span<const std::uintptr_t> return_addresses) {
  Stack stack;
  for (const std::uintptr_t address : return_addresses) {
    const Stack& frames = state_->entry(address).frames;
    stack.insert(stack.end(), frames.begin(), frames.end());
  }
  return stack;
}

Stack Symbolizer::user_frames(std::span<const std::uintptr_t> return_addresses) {
  Stack stack;
  for (const std::uintptr_t address : return_addresses) {
    const Stack& frames = state_->entry(address).user_frames;
    stack.insert(stack.end(), frames.begin(), frames.end());
  }
  return stack;
}

std::string to_text(const Stack& stack) {
  std::string text;
  for (const Frame& frame : stack) text += fmt::format("{}\n  {}:{}\n", frame.name, frame.filename, frame.line);
  return text;
}

}  // namespace gpucheck::observe
