#pragma once

#include "harness/run/device_verdicts.hpp"
#include "harness/run/exit_codes.hpp"

namespace gpucheck::application {

inline harness::ExitCode exit_code_of(harness::Verdict verdict) {
  if (verdict == harness::Verdict::failed) return harness::ExitCode::failed;
  return verdict == harness::Verdict::passed ? harness::ExitCode::passed : harness::ExitCode::not_judged;
}

}  // namespace gpucheck::application
