#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "harness/values/world.hpp"

namespace gpucheck::harness {

/// Where the processes of a job leave each other texts, before they can communicate otherwise: a name is given a text
/// once, and whoever asks for it waits. For one thread at a time.
class Rendezvous {
 public:
  using Clock = std::chrono::steady_clock;

  Rendezvous() = default;
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;
  virtual ~Rendezvous() = default;

  /// @param name of letters, digits, '.', '-', '_' and '/'
  /// @return false where the name had a text before, which it keeps.
  /// @throws EnvironmentError where the text cannot be left.
  virtual bool put(const std::string& name, const std::string& text) = 0;
  /// Nothing where nobody has left it by then. @throws EnvironmentError where nobody can be asked.
  [[nodiscard]] virtual std::optional<std::string> get(const std::string& name, Clock::time_point deadline) = 0;
};

/// The most bytes of a text.
inline constexpr std::size_t max_rendezvous_bytes = 16U << 20U;

/// By a server that one of the processes is (`RendezvousServer`), or by files in a folder that all of them see.
/// Nothing is asked yet. @throws UsageError for an address that is neither.
std::unique_ptr<Rendezvous> make_rendezvous(const World& world);

/// "tcp://HOST:PORT/JOB" in its parts.
struct RendezvousAddress {
  std::string host;
  std::string port;
  std::string job;  ///< who does not say it is not answered; a job's processes meet nobody else's
};
/// Nothing for a text that does not begin with "tcp://", which names a folder.
/// @throws UsageError for one without a host or a port.
std::optional<RendezvousAddress> parse_rendezvous_address(const std::string& rendezvous);

}  // namespace gpucheck::harness
