#include "runner/process/output.hpp"

#include <array>
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace gpucheck::runner {

void Tail::append(std::string_view bytes) {
  if (bytes.size() > limit) bytes.remove_prefix(bytes.size() - limit);
  bytes_.append(bytes);
  if (bytes_.size() > 2 * limit) bytes_.erase(0, bytes_.size() - limit);
}

std::string Tail::take() {
  if (bytes_.size() > limit) bytes_.erase(0, bytes_.size() - limit);
  return std::exchange(bytes_, {});
}

ReadState read_available(int descriptor, std::size_t at_most, const std::function<void(std::string_view)>& take) {
  std::array<char, std::size_t{8} << 10> buffer;
  for (std::size_t total = 0; total < at_most;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      take({buffer.data(), static_cast<std::size_t>(count)});
      total += static_cast<std::size_t>(count);
    } else if (count == 0) {
      return ReadState::closed;
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK ? ReadState::open : ReadState::closed;
    }
  }
  return ReadState::more;
}

}  // namespace gpucheck::runner
