// Findings: what reading, checking and running report without failing. Readers, checkers, machines
// and the virtual device all use this one type; their rules are tables of base/rule.h, and
// finding_of() makes a finding of a rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgetwin {

enum class Severity : uint8_t { note, warning, error };
std::string_view name(Severity severity);  // "warning"

// Where: each part as far as it is known.
struct Place {
  Place() = default;
  // A place that has a name alone: an operator, a tensor, a part of a file.
  Place(std::string text) : layer(std::move(text)) {}  // NOLINT: a name is a place
  Place(std::string_view text) : layer(text) {}        // NOLINT
  Place(const char* text) : layer(text) {}             // NOLINT

  std::string file;
  std::optional<uint64_t> offset;  // byte offset in the file
  std::optional<int> line;         // 1-based, of a text file
  std::optional<int> column;
  std::string layer;  // the operator in the user's model: "#12 CONV_2D 'block3/conv'"
  std::string field;  // the named field of the format, or the tensor

  // On a chip. Text of a place leaves these out: the message names what matters of them.
  std::optional<int> layer_number;  // in the chip's registers
  std::optional<int> other_layer;   // that takes part: who wrote what is read here
  std::optional<uint32_t> address;  // register or word of memory
  std::optional<uint64_t> step;     // of a machine's run

  bool empty() const;  // has no text
  bool operator==(const Place&) const = default;
};

// "net.yaml:12, layer 3 'conv', field pad"; empty where nothing is known. Without the column: what
// is read in a text file names its key.
std::string to_text(const Place& place);

struct Finding {
  Severity severity = Severity::note;
  std::string id;  // of a rule; may be empty
  Place place;
  std::string message;                    // one sentence in the user's words, with numbers
  std::string hint;                       // what to do; may be empty
  std::vector<std::string> details = {};  // the calculation, one line each
  uint64_t count = 1;                     // how often; `place` is that of the first time
};

// "warning[ID]: message" with place, calculation and what to do, each on a line of its own; ends in
// a newline. Never contains colour.
std::string to_text(const Finding& finding);
// Message, times and calculation in one line, for tables and pages.
std::string line_text(const Finding& finding);

const Finding* first_error(const std::vector<Finding>& findings);  // null: none
inline bool has_errors(const std::vector<Finding>& findings) {
  return first_error(findings) != nullptr;
}

}  // namespace edgetwin
