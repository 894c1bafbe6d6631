#include "observe/stacks/native_stack.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <link.h>
#include <span>

#include "observe/stacks/modules.hpp"

namespace application {

/// Functions of a user's, outside of gpucheck's own names.
[[gnu::noinline]] void inner(gpucheck::observe::ProgramCounters& counters) {
  gpucheck::observe::unwind(counters);
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void outer(gpucheck::observe::ProgramCounters& counters) {
  inner(counters);
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void deep(gpucheck::observe::ProgramCounters& counters, int depth) {
  if (depth == 0) return inner(counters);
  deep(counters, depth - 1);
  asm volatile("" ::: "memory");
}

namespace {

[[gnu::noinline]] void hidden(gpucheck::observe::ProgramCounters& counters) {
  inner(counters);
  asm volatile("nop" ::: "memory");  // unlike `outer`, lest the compiler make them one function
}

}  // namespace

[[gnu::noinline]] void call_hidden(gpucheck::observe::ProgramCounters& counters) {
  hidden(counters);
  asm volatile("" ::: "memory");
}

}  // namespace application

namespace gpucheck::observe {
namespace {

bool names(const Frame& frame, std::string_view function) { return frame.name.find(function) != std::string::npos; }

TEST(NativeStack, NamesTheCallersInOrderBeginningWithTheUnwinder) {
  ProgramCounters counters;
  application::outer(counters);
  Symbolizer symbolizer;
  const Stack stack = symbolizer.frames(counters.view());
  ASSERT_GT(stack.size(), 3U);
  EXPECT_TRUE(names(stack[0], "gpucheck::observe::unwind(")) << stack[0].name;
  EXPECT_TRUE(names(stack[1], "application::inner(")) << stack[1].name;
  EXPECT_TRUE(names(stack[2], "application::outer(")) << stack[2].name;
}

TEST(NativeStack, KnowsFilesAndLines) {
  ProgramCounters counters;
  application::outer(counters);
  Symbolizer symbolizer;
  const Stack stack = symbolizer.frames(counters.view());
  EXPECT_EQ(std::filesystem::path(stack[1].filename).filename(), "native_stack_test.cpp");
  // The call in `inner` stands one line below the function's head.
  const Frame& outer = stack[2];
  EXPECT_EQ(std::filesystem::path(outer.filename).filename(), "native_stack_test.cpp");
  EXPECT_GT(outer.line, stack[1].line);
}

TEST(NativeStack, UserFramesLeaveLibrariesOut) {
  ProgramCounters counters;
  application::outer(counters);
  Symbolizer symbolizer;
  const Stack stack = symbolizer.user_frames(counters.view());
  ASSERT_GE(stack.size(), 2U);
  EXPECT_TRUE(names(stack[0], "application::inner("));
  EXPECT_TRUE(names(stack[1], "application::outer("));
  for (const Frame& frame : stack) {
    EXPECT_FALSE(names(frame, "gpucheck::observe::unwind(")) << frame.name;
    EXPECT_FALSE(names(frame, "testing::")) << frame.name;
    EXPECT_FALSE(names(frame, "__libc")) << frame.name;
  }
}

TEST(NativeStack, AFilesOwnFunctionsAreNamedInFull) {
  ProgramCounters counters;
  application::call_hidden(counters);
  Symbolizer symbolizer;
  const Stack stack = symbolizer.frames(counters.view());
  ASSERT_GT(stack.size(), 3U);
  EXPECT_TRUE(names(stack[2], "application::(anonymous namespace)::hidden(")) << stack[2].name;
  EXPECT_TRUE(names(stack[3], "application::call_hidden(")) << stack[3].name;
}

TEST(NativeStack, DeepStacksLoseTheirOutermostFrames) {
  ProgramCounters counters;
  application::deep(counters, 500);
  EXPECT_EQ(counters.count, ProgramCounters::max_count);
  Symbolizer symbolizer;
  EXPECT_TRUE(names(symbolizer.frames(counters.values[0]).front(), "unwind"));
}

/// A part of this program's file that is neither a function nor a variable.
std::uintptr_t unwind_table() {
  std::uintptr_t address = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* result) {
        for (const ElfW(Phdr) & part : std::span(program->dlpi_phdr, program->dlpi_phnum)) {
          if (part.p_type == PT_GNU_EH_FRAME) {
            *static_cast<std::uintptr_t*>(result) = program->dlpi_addr + part.p_vaddr;
          }
        }
        return 1;  // the libraries come after the program
      },
      &address);
  return address;
}

TEST(NativeStack, AnAddressWithoutASymbolIsGivenByModuleAndOffset) {
  const std::uintptr_t inside = unwind_table() + 8;
  const detail::ModuleAddress module = detail::find_module(inside);
  EXPECT_TRUE(module.is_program);
  Symbolizer symbolizer;
  const Stack& stack = symbolizer.frames(inside + 1);
  ASSERT_EQ(stack.size(), 1U);
  EXPECT_EQ(stack[0].name, module.name + "+" + fmt::format("{:#x}", module.offset));
  EXPECT_EQ(stack[0].filename, "??");
}

TEST(NativeStack, AnAddressOutsideOfEveryFileIsUnknown) {
  Symbolizer symbolizer;
  // The lowest addresses are not outside of a program at fixed addresses: what its linker dropped is said to be there.
  EXPECT_EQ(symbolizer.frames(~std::uintptr_t{17}), (Stack{{"??", "??", 0}}));
}

TEST(NativeStack, TextHasFunctionFileAndLine) {
  EXPECT_EQ(to_text({{"f()", "a.cpp", 3}, {"main", "??", 0}}), "f()\n  a.cpp:3\nmain\n  ??:0\n");
}

}  // namespace
}  // namespace gpucheck::observe
