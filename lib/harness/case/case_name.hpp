#pragma once

#include <string>
#include <string_view>

namespace gpucheck::harness {

/// Whether it is written with a-z, 0-9 and _ alone, and not empty.
bool is_word(std::string_view text) noexcept;

/// Whether it is "group.case", two words.
bool is_case_name(std::string_view name) noexcept;

/// "alloc" of "alloc.fuzz"; all of a name without a dot.
std::string_view group_of(std::string_view case_name) noexcept;

/// "alloc/fuzz" for "alloc.fuzz": where a case's source and golden file lie in their
/// folders, but for the extension.
std::string case_path(std::string_view case_name);

}  // namespace gpucheck::harness
