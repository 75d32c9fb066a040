// What the ids in brackets mean, such as "FMT-NPY-01" of an error or "ESPDL-OP-03" of a finding:
// every rule of readers, checks, machines and the virtual device, and every error. Texts live as
// long as the program. Source: the rules.def and errors.def of each folder.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/finding.h"

namespace edgetwin {

struct Explanation {
  std::string_view id;                  // "FMT-NPY-01": stable, never used again
  std::string_view name;                // the same as a word, in JSON
  Severity severity = Severity::error;  // usual; a finding may be milder
  int exit_code = 0;                    // of the program, where the rule ends a command; else 0
  std::string_view title;               // what it is, in one line
  std::string_view text;                // more about it; may be empty
  std::string_view remedy;              // what to do
  std::string_view evidence;  // what the rule rests on: "definition", "vendor source", …
  std::string_view
      about;              // the table that it stands in: "check of ESP-DL models"; empty for errors
  std::string_view page;  // "docs/espdl-rules.md"; may be empty
};

// All of them, table by table.
EDGETWIN_API std::span<const Explanation> all_explanations();

// By id, in capitals or not; null: there is none.
EDGETWIN_API const Explanation* explain(std::string_view id);

// Ids that are spelled nearly so, the nearest first.
EDGETWIN_API std::vector<std::string_view> near_ids(std::string_view id, size_t count = 3);

}  // namespace edgetwin
