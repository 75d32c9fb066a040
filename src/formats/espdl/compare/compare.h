// Do two .espdl files say the same network? docs/formats/espdl.md, "Comparing".
#pragma once

#include <string>
#include <vector>

#include "formats/espdl/document/document.h"

namespace edgetwin::espdl {

struct DocumentDiff {
  bool equal = true;
  std::string first;               // the first of `lines`
  std::vector<std::string> lines;  // at most kMaxDiffLines, then one that says how many more
  size_t operators = 0;            // matched ones
  std::vector<std::string> notes;  // what differs and is no part of the network
};
inline constexpr size_t kMaxDiffLines = 50;

// Operators are matched by what they compute from what, names and order of the file do not matter.
// Compared are types, attributes that mean something, shapes, element types, exponents, and of
// constants the integers, tables and orders of weights. Not compared: names, metadata, test values,
// scales and zero points of the conversions, which nobody reads.
DocumentDiff compare_documents(const Document& a, const Document& b);

}  // namespace edgetwin::espdl
