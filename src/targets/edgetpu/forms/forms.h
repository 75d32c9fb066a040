// Forms: what is left of an instruction without its numbers. What the vendor's compilers were never
// seen to write is unknown ground for a program that is to run on a chip.
//
// A fine form is, word by word: the class of the tile mask; the loops above 1; of each traversal
// whether it starts at 0, and of each level whether it repeats (n or 1) and which way it goes (z +
// -), with ! where it is not marked as in use, then the level of the switch and of the short pass;
// kind and flags. A coarse form has of this the levels in use, switch, short pass, kind and flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/rule.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu::forms {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "targets/edgetpu/forms/rules.def"
#undef RULE
};
const RuleInfo& info(Rule rule);
RuleTable all_rules();

struct Form {
  std::string fine, coarse;
};
Form form_of(const Instruction& instruction);
std::string coarse_form_of(const Instruction& instruction);

struct KnownForm {
  std::string_view opcode, coarse, fine;
  uint32_t count = 0, files = 0;  // instructions, and the public files that have them
};
const std::vector<KnownForm>& all_forms();

enum class Standing : uint8_t { known, new_fine, new_coarse };
struct Compared {
  Standing standing = Standing::known;
  Form form;
  // Of the same opcode, with the fewest words that differ; null: the opcode has none.
  const KnownForm* nearest = nullptr;
};
Compared compare(const Instruction& instruction);
// Whether a public program has its coarse form.
bool is_known_coarse(const Instruction& instruction);

// A finding for each form that no public program has: an error where even the coarse form is
// unknown, else a warning; at most twenty of a kind in one executable.
std::vector<Finding> check_forms(const darwinn::File& file);

}  // namespace edgetwin::edgetpu::forms
