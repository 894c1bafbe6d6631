#pragma once

#include <chrono>
#include <string>

#include "runner/plan/options.hpp"
#include "runner/worker/protocol.hpp"
#include "runner/worker/worker_process.hpp"

/// What workers answered before they were given a case.
namespace gpucheck::runner {

/// What `end` of an identify request says. Where the driver gave no answer, one device that cannot be used.
/// @param limit that it had. @throws EnvironmentError, UsageError.
IdentityReply identity_from(RequestEnd end, const Options& options, std::chrono::milliseconds limit);

/// Why there is no worker, of the `end` of a prepare request that is not a success.
/// @param limit that the worker had.
std::string why_not_prepared(const RequestEnd& end, std::chrono::milliseconds limit);

}  // namespace gpucheck::runner
