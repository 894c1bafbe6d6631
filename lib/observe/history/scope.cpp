#include "observe/history/scope.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "base/text/utf8.hpp"
#include "observe/history/memory_history.hpp"

namespace gpucheck::observe {
namespace detail {
namespace {

thread_local std::vector<ScopeId> open_scopes;

/// Names are few and stacks refer to them for as long as the process lives.
struct Names {
  std::mutex mutex;
  std::map<ScopeName, ScopeId> ids;
  std::deque<ScopeName> names;
};

Names& names() {
  static Names instance;
  return instance;
}

ScopeId id_of(ScopeName name) {
  Names& known = names();
  const std::scoped_lock lock(known.mutex);
  const auto [place, is_new] = known.ids.try_emplace(std::move(name), static_cast<ScopeId>(known.names.size()));
  if (is_new) known.names.push_back(place->first);
  return place->second;
}

}  // namespace

std::span<const ScopeId> current_scopes() noexcept { return open_scopes; }

ScopeName scope_name(ScopeId id) {
  Names& known = names();
  const std::scoped_lock lock(known.mutex);
  return known.names[id];
}

}  // namespace detail

Scope::Scope(MemoryHistory& history, std::string_view name, const char* file, int line)
    : history_(history), name_(to_valid_utf8(name)) {
  detail::open_scopes.push_back(detail::id_of({name_, file, line}));
  history_.annotate(name_, AnnotationStage::start);
}

Scope::~Scope() {
  history_.annotate(name_, AnnotationStage::end);
  detail::open_scopes.pop_back();
}

}  // namespace gpucheck::observe
