#pragma once

#include <chrono>
#include <string>

#include "runner/protocol.hpp"
#include "runner/runner.hpp"
#include "runner/worker_process.hpp"

/// What workers answered before they were given a case.
namespace gpucheck::runner {

/// What `end` of an identify request says. @throws EnvironmentError, UsageError.
IdentityReply identity_from(RequestEnd end, const Options& options);

/// Why there is no worker, of the `end` of a prepare request that is no success.
/// @param limit that the worker had.
std::string why_not_prepared(const RequestEnd& end, std::chrono::milliseconds limit);

}  // namespace gpucheck::runner
