#include "replay/verdict/request.hpp"

namespace gpucheck::replay {

bool can_compare(const Subject& subject, const Request& request) noexcept {
  return subject.has_expectations() && request.allocator.kind == runtime::AllocatorChoice::Kind::caching;
}

bool asks_what_if(const Subject& subject, const Request& request) noexcept {
  return !can_compare(subject, request) || !request.settings.empty() || request.memory_limit_bytes.has_value();
}

}  // namespace gpucheck::replay
