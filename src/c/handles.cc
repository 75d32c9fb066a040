#include "c/handles.h"

#include <mutex>
#include <unordered_map>

namespace edgetwin::c {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, HandleKind> handles;
};

// Never destroyed: handles may be freed while the process ends.
Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

}  // namespace

void remember(const void* handle, HandleKind kind) {
  const std::lock_guard lock(registry().mutex);
  registry().handles[handle] = kind;
}

bool forget(const void* handle, HandleKind kind) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().handles.find(handle);
  if (found == registry().handles.end() || found->second != kind) return false;
  registry().handles.erase(found);
  return true;
}

bool alive(const void* handle, HandleKind kind) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().handles.find(handle);
  return found != registry().handles.end() && found->second == kind;
}

Status require(bool good, const char* what) {
  if (good) return Ok{};
  return Error(ErrorCode::usage, what)
      .with_hint("Handles come from _open and _create and are used until their _free.");
}

}  // namespace edgetwin::c
