#pragma once

#include <memory>
#include <span>
#include <string>

#include "harness/case/case.hpp"
#include "harness/rendezvous/rendezvous_server.hpp"
#include "harness/values/world.hpp"
#include "input/engine.hpp"

/// Where the processes of a job find each other, for the cases between them.
namespace gpucheck::application {

/// This process among those of its job; alone where no engine says that there are others.
/// @param rendezvous as typed: "tcp://HOST:PORT", or a folder; empty: by the environment. That is MASTER_ADDR and
/// MASTER_PORT where they are set, else this machine where it has all processes, else the first node of Slurm's step;
/// else it stays empty. @throws UsageError for an address that is none, EnvironmentError as `recognise_engine`.
harness::World recognise_world(const Variable& variable, const Engine& engine, const std::string& rendezvous);

harness::World world_of_this_process(const Engine& engine, const std::string& rendezvous);

/// What the others ask, where this process is the first of a job and any of the cases is between processes; else null.
/// @throws EnvironmentError where it cannot listen.
std::unique_ptr<harness::RendezvousServer> serve_rendezvous(std::span<const harness::Case* const> cases,
                                                            const harness::World& world);

}  // namespace gpucheck::application
