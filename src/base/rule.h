// A rule says what can be wrong with a file, a network or a call, or what is worth knowing about
// it, and what to do. Every error names one, and every finding of a check, a machine or the virtual
// device. Each table of rules is a .def file with the same columns:
//
//   RULE(name, "AREA-THING-NN", severity, exit code, "title", "text", "remedy", evidence)
//        |      |               |         |           |        |       |         +- of Evidence
//        |      |               |         |           |        |       +- what to do; one sentence
//        |      |               |         |           |        +- more about it; may be empty
//        |      |               |         |           +- what it is, in one line
//        |      |               |         +- of the program, where the rule ends a command; else 0
//        |      |               +- what it usually is; a finding may be milder
//        |      +- stable: users search for it; never use one again
//        +- of the enumerator, and in JSON
//
// src/rules/registry.cc lists all tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/finding.h"

namespace edgetwin {

// What a rule rests on.
enum class Evidence : uint8_t {
  definition,       // the definition of a format, a protocol or this program
  vendor_source,    // read in the vendor's source
  vendor_document,  // stated in the vendor's documents
  recorded,         // seen in recorded results or shipped files
  inferred,         // concluded from the others; no failure has been seen
  open,             // an assumption: no evidence decides it
};
std::string_view name(Evidence evidence);  // "vendor source"

struct RuleInfo {
  std::string_view name;
  std::string_view id;
  Severity severity = Severity::error;
  int exit_code = 0;
  std::string_view title;
  std::string_view text;
  std::string_view remedy;
  Evidence evidence = Evidence::definition;
};

// In the order of the .def file, which is that of the table's enumeration.
using RuleTable = std::span<const RuleInfo>;

// What breaks the rule, or is said by it: with the rule's severity, and its remedy as the hint.
Finding finding_of(const RuleInfo& rule, Place place, std::string message);

}  // namespace edgetwin

// A row as a RuleInfo: #define RULE EDGETWIN_RULE before the .def file is included.
#define EDGETWIN_RULE(name, id, severity, exit_code, title, text, remedy, evidence)     \
  ::edgetwin::RuleInfo{#name, id,     ::edgetwin::Severity::severity, exit_code, title, \
                       text,  remedy, ::edgetwin::Evidence::evidence},
