#pragma once

#include <optional>
#include <string>

#include "harness/values/fields.hpp"

namespace gpucheck::harness {

/// A run's place among those that an engine (Slurm, an MPI, Kubernetes) started together.
struct Job {
  std::string engine;                     ///< "slurm", "open_mpi", "pmix", "pmi" or "kubernetes"
  std::string id;                         ///< as the engine prints it; empty where it does not say
  std::optional<int> rank = {};           ///< from 0
  std::optional<int> size = {};           ///< how many ranks there are
  std::optional<int> local_rank = {};     ///< from 0, among those of this node
  std::optional<int> local_size = {};     ///< how many ranks this node has
  std::optional<int> restart_count = {};  ///< how often the engine started it again

  bool operator==(const Job&) const = default;
};

template <>
inline constexpr auto fields_of<Job> = std::tuple{Field{"engine", &Job::engine},
                                                  Field{"id", &Job::id},
                                                  Field{"rank", &Job::rank},
                                                  Field{"size", &Job::size},
                                                  Field{"local_rank", &Job::local_rank},
                                                  Field{"local_size", &Job::local_size},
                                                  Field{"restart_count", &Job::restart_count}};
static_assert(has_every_member<Job>);

}  // namespace gpucheck::harness
