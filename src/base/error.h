// An error is a value: what, where, the calculation behind it, and one thing to try.
// Form and rules: docs/cli.md, "Errors".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgetwin {

enum class ErrorCode : uint8_t {
#define RULE(name, ...) name,
#include "base/error_codes.def"
#undef RULE
};

struct ErrorInfo {
  ErrorCode code;
  std::string_view name;
  std::string_view id;
  int exit_code;
  std::string_view meaning;
  std::string_view cure;
};

const ErrorInfo& info(ErrorCode code);
// All rows, in the order of error_codes.def.
const std::vector<ErrorInfo>& all_errors();

// Where: each part as far as it is known.
struct Place {
  std::string file;
  std::optional<uint64_t> offset;  // byte offset in the file
  std::optional<int> line;         // 1-based, of a text file
  std::optional<int> column;
  std::string layer;  // the operator in the user's model: "#12 CONV_2D 'block3/conv'"
  std::string field;  // the named field of the format, or the tensor
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  // one sentence in the user's words, with numbers
  Place place;
  std::vector<std::string> details;  // the calculation, one line each
  std::string hint;                  // empty: the row's cure stands for it
  std::string rule;  // id of a target's rule that was broken; empty: the row's id stands

  Error() = default;
  Error(ErrorCode c, std::string text) : code(c), message(std::move(text)) {}

  // Builders; each returns the error itself so that a return statement can carry them.
  Error&& in_file(std::string file) &&;
  Error&& at_offset(uint64_t offset) &&;
  Error&& in_layer(std::string layer) &&;
  Error&& in_field(std::string field) &&;
  Error&& detail(std::string line) &&;
  Error&& with_hint(std::string text) &&;
  Error&& of_rule(std::string id) &&;

  // What the user sees in brackets and can give to `explain`: the rule's id, else the row's.
  std::string_view id() const;
};

// The five-line form of docs/cli.md, ending in a newline. Never contains colour.
std::string to_text(const Error& error);

}  // namespace edgetwin
