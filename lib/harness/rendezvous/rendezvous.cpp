#include "harness/rendezvous/rendezvous.hpp"

#include <charconv>
#include <fmt/format.h>
#include <string_view>

#include "base/error.hpp"
#include "harness/rendezvous/folder_rendezvous.hpp"
#include "harness/rendezvous/socket_rendezvous.hpp"

namespace gpucheck::harness {

std::optional<RendezvousAddress> parse_rendezvous_address(const std::string& rendezvous) {
  constexpr std::string_view scheme = "tcp://";
  if (!rendezvous.starts_with(scheme)) return std::nullopt;
  const std::string rest = rendezvous.substr(scheme.size());
  const std::size_t slash = rest.find('/');
  const std::string place = rest.substr(0, slash);
  const std::size_t colon = place.rfind(':');
  RendezvousAddress address{.host = place.substr(0, colon),
                            .port = colon == place.npos ? "" : place.substr(colon + 1),
                            .job = slash == rest.npos ? "" : rest.substr(slash + 1)};
  const bool is_bracketed = address.host.starts_with('[') && address.host.ends_with(']');
  if (is_bracketed) address.host = address.host.substr(1, address.host.size() - 2);
  int port = 0;
  const char* const end = address.port.data() + address.port.size();
  const auto [stopped, problem] = std::from_chars(address.port.data(), end, port);
  constexpr int last_port = 65'535;
  if (!address.host.empty() && problem == std::errc() && stopped == end && port > 0 && port <= last_port) {
    return address;
  }
  throw UsageError(fmt::format(
      "\"{}\" is not a place to meet: write tcp://HOST:PORT, of the machine of rank 0, or a folder that all nodes see",
      rendezvous));
}

std::unique_ptr<Rendezvous> make_rendezvous(const World& world) {
  if (const auto address = parse_rendezvous_address(world.rendezvous)) return make_socket_rendezvous(*address);
  return make_folder_rendezvous(world.rendezvous);
}

}  // namespace gpucheck::harness
