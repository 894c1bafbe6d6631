#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpucheck::cases::in_snapshot {

/// What a Python program prints, without the last line break. Its arguments are the name of a
/// file with the bytes of `input`, then `arguments`. "failed: ..." with its last words where the program ends with an
/// error. @throws harness::Skip where there is no python3, EnvironmentError when it cannot be started.
[[nodiscard]] std::string run_python(std::string_view program, std::string_view input,
                                     const std::vector<std::string>& arguments);

}  // namespace gpucheck::cases::in_snapshot
