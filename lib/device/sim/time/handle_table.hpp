#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace gpucheck::sim {

/// Objects by handle. Handles are keys, never addresses, and never serve twice, so
/// that one that was destroyed, or was never created, is noticed.
template <typename Handle, typename Object>
class HandleTable {
 public:
  Object& insert(std::uintptr_t value, Object object) {
    return *objects_.insert_or_assign(value, std::make_unique<Object>(std::move(object))).first->second;
  }
  [[nodiscard]] Object* find(Handle handle) const noexcept {
    const auto found = objects_.find(handle.value);
    return found == objects_.end() ? nullptr : found->second.get();
  }
  bool erase(Handle handle) { return objects_.erase(handle.value) != 0; }
  [[nodiscard]] const auto& objects() const noexcept { return objects_; }

 private:
  std::unordered_map<std::uintptr_t, std::unique_ptr<Object>> objects_;
};

}  // namespace gpucheck::sim
