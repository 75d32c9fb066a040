// Result<T>: a value or an Error. The compiler warns where one is dropped.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"

namespace edgetwin {

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value)
      : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: a value is a result
  Result(Error error)
      : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: so is an error

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Only after ok().
  T& value() & { return *std::get_if<0>(&content_); }
  const T& value() const& { return *std::get_if<0>(&content_); }
  T&& value() && { return std::move(*std::get_if<0>(&content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Only after !ok().
  Error& error() & { return *std::get_if<1>(&content_); }
  const Error& error() const& { return *std::get_if<1>(&content_); }
  Error&& error() && { return std::move(*std::get_if<1>(&content_)); }

 private:
  std::variant<T, Error> content_;
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
  return std::move(edgetwin_status).error()

// TRY_ASSIGN(auto x, expression): the same, and otherwise moves the value into x.
#define EDGETWIN_TRY_ASSIGN_(target, expression, temporary) \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return std::move(temporary).error(); \
  target = std::move(temporary).value()
#define EDGETWIN_TRY_ASSIGN(target, expression) \
  EDGETWIN_TRY_ASSIGN_(target, expression, EDGETWIN_CONCAT(edgetwin_result_, __LINE__))
