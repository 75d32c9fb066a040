// What the opaque types of the C interface hold, and how an entry point is guarded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#define EDGETWIN_EXPERIMENTAL
#include "edgetwin/device.h"
#include "edgetwin/edgetwin.c.h"
#include "edgetwin/network.h"
#include "edgetwin/tensors.h"

#define EDGETWIN_EXPORT __attribute__((visibility("default")))

namespace edgetwin::c {

enum class HandleKind : uint8_t { error, document, network, runner, samples, device };

// Every handle that was given out and not freed: one that is not among them is refused instead of
// used. From any thread.
void remember(const void* handle, HandleKind kind);
bool forget(const void* handle, HandleKind kind);  // false: it was not there
bool alive(const void* handle, HandleKind kind);
// Runners also stand in a list that is read without a lock.
void remember_runner(edgetwin_runner* runner);
// Takes no lock, so that it may come from a signal handler; a runner that was freed is left alone.
void cancel_runner(const edgetwin_runner* runner);

template <class Handle>
constexpr HandleKind kind_of();

using Options = std::vector<std::pair<std::string, std::string>>;

struct NetworkState {
  Network network;
  Bytes bytes;
  std::string name;
  bool is_file = false;  // `name` is the path of a file
  Options options;
};

// Numbers of one tensor in the form of the C interface.
struct TensorTexts {
  std::vector<int32_t> shape, signature;
  std::vector<float> scales;
  std::vector<int64_t> zero_points;
  std::vector<int32_t> exponents;
};

}  // namespace edgetwin::c

struct edgetwin_error {
  edgetwin::Error error;
  std::string id, text, json;
  int32_t exit_code = 0;
};

struct edgetwin_document {
  int32_t verdict = 0;
  std::map<std::string, std::string, std::less<>> parts;
  std::vector<std::pair<std::string, edgetwin::Bytes>> files;
};

struct edgetwin_network {
  std::shared_ptr<const edgetwin::c::NetworkState> state;
};

struct edgetwin_runner {
  std::shared_ptr<const edgetwin::c::NetworkState> network;
  edgetwin::Tensors tensors;
  edgetwin::c::Options options;
  mutable std::map<int32_t, edgetwin::c::TensorTexts> texts = {};
};

struct edgetwin_samples {
  std::vector<std::string> names;  // of inputs, in the order of their first sample
  std::map<std::string, std::vector<edgetwin::Tensor>> tensors = {};
};

struct edgetwin_device {
  edgetwin::Device device;
};

namespace edgetwin::c {

template <>
constexpr HandleKind kind_of<edgetwin_error>() {
  return HandleKind::error;
}
template <>
constexpr HandleKind kind_of<edgetwin_document>() {
  return HandleKind::document;
}
template <>
constexpr HandleKind kind_of<edgetwin_network>() {
  return HandleKind::network;
}
template <>
constexpr HandleKind kind_of<edgetwin_runner>() {
  return HandleKind::runner;
}
template <>
constexpr HandleKind kind_of<edgetwin_samples>() {
  return HandleKind::samples;
}
template <>
constexpr HandleKind kind_of<edgetwin_device>() {
  return HandleKind::device;
}

template <class Handle>
Handle* give(std::unique_ptr<Handle> handle) {
  if constexpr (kind_of<Handle>() == HandleKind::runner) {
    remember_runner(handle.get());
  } else {
    remember(handle.get(), kind_of<Handle>());
  }
  return handle.release();
}
template <class Handle>
bool is_alive(const Handle* handle) {
  return handle != nullptr && alive(handle, kind_of<Handle>());
}
template <class Handle>
void take_back(Handle* handle) noexcept {
  try {
    if (handle != nullptr && forget(handle, kind_of<Handle>())) delete handle;
  } catch (...) {
    // Nothing can be told here, and nothing is thrown across.
  }
}

// Error: usage.
Status require(bool good, const char* what);
Status require_alive(bool alive, const char* what);
template <class Handle>
Status require_handle(const Handle* handle, const char* what) {
  return require_alive(is_alive(handle), what);
}

// The exit code of the error, which goes into `*error` unless that is null.
int32_t fail(Error error, edgetwin_error** error_out) noexcept;

// Runs an entry point that gives a Status; nothing is thrown across the border.
template <class Body>
int32_t guard(edgetwin_error** error, const Body& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    Status status = body();
    return status.ok() ? 0 : fail(std::move(status).error(), error);
  } catch (const std::bad_alloc&) {
    return fail(Error(ErrorCode::out_of_memory, "there is not enough memory for this"), error);
  } catch (const std::exception& e) {
    return fail(
        Error(ErrorCode::internal, std::string("something happened that must not: ") + e.what()),
        error);
  } catch (...) {
    return fail(Error(ErrorCode::internal, "something happened that must not"), error);
  }
}

// The same with a result that goes to `out`.
template <class Handle, class Body>
int32_t guard_out(Handle** out, edgetwin_error** error, const Body& body) noexcept {
  if (out != nullptr) *out = nullptr;
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require(out != nullptr, "the place for the result is NULL"));
    Result<std::unique_ptr<Handle>> made = body();
    if (!made.ok()) return std::move(made).error();
    *out = give(std::move(*made));
    return Ok{};
  });
}

}  // namespace edgetwin::c
