#pragma once

#include <string>
#include <vector>

#include "cases/shared/ranks_support.hpp"
#include "harness/case/case.hpp"

/// What the cases of collectives within a machine share.
namespace gpucheck::cases::in_nccl {

using in_bandwidth::Samples;
using in_bandwidth::Summary;
using in_ranks::all_devices;
using in_ranks::Ranks;

/// Runs a collective over all devices: large messages, smaller ones and the smallest, which are timed, then every type
/// and reduction.
void run_collective(harness::Context& context, device::CollectiveKind kind);

/// The parameter for the size of the buffers.
harness::Parameter message_parameter();
/// What goes wrong with collectives.
std::vector<harness::Fault> collective_faults();

/// A case of one collective; `run` calls `run_collective`.
harness::Case collective_case(std::string name, std::string summary, std::string source,
                              void (*run)(harness::Context&));

}  // namespace gpucheck::cases::in_nccl
