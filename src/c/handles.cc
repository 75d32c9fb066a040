#include "c/handles.h"

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace edgetwin::c {
namespace {

struct Handle {
  HandleKind kind;
  pid_t process;
};

// A runner that lives, for those who must not take a lock. Slots are used again and never freed, so
// that a signal handler may walk over them at any time.
struct Slot {
  std::atomic<edgetwin_runner*> runner{nullptr};
  std::atomic<int> readers{0};
  Slot* next = nullptr;
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Handle> handles;
  std::atomic<Slot*> slots{nullptr};
};

// Debug builds refuse what a fork left behind: its threads and locks are the parent's.
bool in_its_process(const Handle& handle) {
#ifdef EDGETWIN_CHECK_FORK
  return handle.process == getpid();
#else
  (void)handle;
  return true;
#endif
}

// Never destroyed: handles may be freed while the process ends.
Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

// The registry's mutex is held.
void add_slot(Registry& all, edgetwin_runner* runner) {
  for (Slot* s = all.slots; s != nullptr; s = s->next) {
    if (s->runner == nullptr) {
      s->runner = runner;
      return;
    }
  }
  auto slot = std::make_unique<Slot>();
  slot->runner = runner;
  slot->next = all.slots;
  all.slots = slot.release();
}

void clear_slot(Registry& all, const void* runner) {
  for (Slot* s = all.slots; s != nullptr; s = s->next) {
    if (s->runner != runner) continue;
    s->runner = nullptr;
    while (s->readers != 0) std::this_thread::yield();
    return;
  }
}

}  // namespace

void remember(const void* handle, HandleKind kind) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.handles[handle] = {kind, getpid()};
}

void remember_runner(edgetwin_runner* runner) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.handles[runner] = {HandleKind::runner, getpid()};
  add_slot(all, runner);
}

bool forget(const void* handle, HandleKind kind) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.handles.find(handle);
  if (found == all.handles.end() || found->second.kind != kind) return false;
  if (kind == HandleKind::runner) clear_slot(all, handle);
  all.handles.erase(found);
  return true;
}

bool alive(const void* handle, HandleKind kind) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.handles.find(handle);
  return found != all.handles.end() && found->second.kind == kind && in_its_process(found->second);
}

void cancel_runner(const edgetwin_runner* runner) {
  if (runner == nullptr) return;
  for (Slot* s = registry().slots; s != nullptr; s = s->next) {
    if (s->runner != runner) continue;
    ++s->readers;
    edgetwin_runner* const lives = s->runner;  // read again: it may have gone in between
    if (lives == runner) lives->tensors.cancel();
    --s->readers;
    return;
  }
}

Status require(bool good, const char* what) {
  if (good) return Ok{};
  return Error(ErrorCode::usage, what)
      .with_hint("edgetwin.c.h says what each argument is and which of them may be NULL.");
}

Status require_alive(bool alive, const char* what) {
  if (alive) return Ok{};
  return Error(ErrorCode::usage, what)
      .with_hint("Handles come from _open and _create and are used until their _free.");
}

}  // namespace edgetwin::c
