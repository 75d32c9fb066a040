// JSON documents with keys in the order in which they were set. A thin cover over the JSON library,
// which only json.cc sees.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/finding.h"
#include "base/result.h"

namespace edgetwin {

class Json {
 public:
  Json();  // null
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(Json other) noexcept;
  ~Json();

  Json(bool value);              // NOLINT: values are documents
  Json(double value);            // NOLINT: infinity and NaN become null
  Json(const char* text);        // NOLINT
  Json(std::string_view text);   // NOLINT: bytes that are not UTF-8 are replaced
  Json(const std::string& text)  // NOLINT
      : Json(std::string_view(text)) {}
  template <std::integral T>
  Json(T value) : Json(static_cast<int64_t>(value), Integer{}) {}  // NOLINT

  static Json object();
  static Json array();
  template <class Range>
  static Json list(const Range& values) {
    Json result = array();
    for (const auto& v : values) result.push(Json(v));
    return result;
  }

  Json& set(std::string_view key, Json value);  // of an object; replaces in place
  Json& push(Json value);                       // of an array
  Json& merge(const Json& other);               // sets all members of another object

  // Indented by one blank; arrays without objects or arrays inside stay on one line. Ends in '\n'.
  std::string text() const;

  // Error: bad_value with the byte offset.
  static Result<Json> parse(std::string_view text, const std::string& file);
  // Reading: nothing where the kind or the key is another.
  std::optional<Json> get(std::string_view key) const;
  std::optional<std::string> get_string(std::string_view key) const;
  std::optional<int64_t> get_integer(std::string_view key) const;
  std::optional<std::string> as_string() const;
  std::optional<int64_t> as_integer() const;
  std::optional<double> as_number() const;
  std::optional<bool> as_bool() const;
  bool is_object() const;
  bool is_array() const;
  // The names of an object's members, in order; empty for others.
  std::vector<std::string> keys() const;
  size_t size() const;  // of an array; else 0
  Json at(size_t index) const;

 private:
  struct Integer {};
  struct Impl;
  Json(int64_t value, Integer);
  explicit Json(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

Json to_json(const Error& error);  // {"id", "name", "message", "file", …, "details", "hint"}
Json to_json(const Finding& finding);

}  // namespace edgetwin
