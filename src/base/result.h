// Result<T>: a value or an Error. The compiler warns where one is dropped.
#pragma once

#include <optional>
#include <utility>

#include "base/error.h"

namespace edgetwin {

// Holds an error outside of the result, so that a result is as small as its value, and what an
// error costs to move and to end is compiled once (CONTRIBUTING.md, "Build time").
class ErrorBox {
 public:
  ErrorBox() = default;
  explicit ErrorBox(Error&& error) : error_(boxed(std::move(error))) {}
  ErrorBox(ErrorBox&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  ErrorBox(const ErrorBox& other) : error_(copied(other.error_)) {}
  ErrorBox& operator=(ErrorBox other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~ErrorBox() {
    if (error_ != nullptr) drop(error_);
  }

  // Only where there is one.
  Error& operator*() const { return *error_; }

 private:
  static Error* boxed(Error&& error);
  static Error* copied(const Error* error);  // null: null
  static void drop(Error* error);

  Error* error_ = nullptr;
};

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // NOLINTBEGIN(google-explicit-constructor): a value is a result, and so is an error. They are
  // taken by reference: one object less to move and to end in every function that may fail.
  Result(T&& value) : value_(std::in_place, std::move(value)) {}
  Result(const T& value) : value_(std::in_place, value) {}
  Result(Error&& error) : error_(std::move(error)) {}
  Result(const Error& error) : error_(Error(error)) {}
  Result(ErrorBox&& error) noexcept : error_(std::move(error)) {}  // that of another result
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Only after ok().
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Only after !ok().
  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }
  // The error where it lies: what is passed on to the caller is a pointer.
  ErrorBox&& passed() && { return std::move(error_); }

 private:
  std::optional<T> value_;
  ErrorBox error_;
};

struct Ok {};

// An operation that gives nothing but may fail.
using Status = Result<Ok>;

}  // namespace edgetwin

#define EDGETWIN_CONCAT_(a, b) a##b
#define EDGETWIN_CONCAT(a, b) EDGETWIN_CONCAT_(a, b)

// TRY(expression): returns its error from the enclosing function, if it has one.
#define EDGETWIN_TRY(expression)                                  \
  if (auto edgetwin_status = (expression); !edgetwin_status.ok()) \
  return std::move(edgetwin_status).passed()

// TRY_ASSIGN(auto x, expression): the same, and otherwise moves the value into x.
#define EDGETWIN_TRY_ASSIGN_(target, expression, temporary)  \
  auto temporary = (expression);                             \
  if (!temporary.ok()) return std::move(temporary).passed(); \
  target = std::move(temporary).value()
#define EDGETWIN_TRY_ASSIGN(target, expression) \
  EDGETWIN_TRY_ASSIGN_(target, expression, EDGETWIN_CONCAT(edgetwin_result_, __LINE__))
