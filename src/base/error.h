// An error is a value: what, where, the calculation behind it, and one thing to try.
// Form and rules: docs/cli.md, "Errors".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.h"
#include "base/rule.h"

namespace edgetwin {

enum class ErrorCode : uint16_t {
#define RULE(name, ...) name,
#include "base/error_codes.def"
#undef RULE
};

const RuleInfo& info(ErrorCode code);
// All rows, in the order of error_codes.def.
RuleTable all_errors();
// The code of an id such as "FMT-NPY-01"; nothing where no error has it.
std::optional<ErrorCode> find_error(std::string_view id);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  // one sentence in the user's words, with numbers
  Place place;
  std::vector<std::string> details;  // the calculation, one line each
  std::string hint;                  // empty: the row's remedy is shown
  std::string rule;  // id of a target's rule that was broken; empty: that of the code

  // Compiled once: every function that may fail has paths that end and move errors.
  Error();
  Error(ErrorCode c, std::string text);
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();

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

// The error as a finding. A hint that is empty stays empty.
Finding finding_of(const Error& error, Severity severity);
// The finding as an error: of the code that its id names; where the id is that of another rule, of
// the code `otherwise` with that rule.
Error error_of(const Finding& finding, ErrorCode otherwise);

}  // namespace edgetwin
