#pragma once

#include <string>

#include "base/error.hpp"

namespace gpucheck::runtime::test {

/// The text of the Error that a call throws.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace gpucheck::runtime::test
