#include <set>

#include "targets/edgetpu/forms/forms.h"

namespace edgetwin::edgetpu::forms {
namespace {

constexpr RuleInfo kFormRules[] = {
#define RULE EDGETWIN_RULE
#include "targets/edgetpu/forms/rules.def"
#undef RULE
};

constexpr size_t kMostOfARule = 20;  // of one executable

std::string message_of(const Instruction& i, const Compared& c) {
  const bool coarse = c.standing == Standing::new_coarse;
  std::string text = std::string(i.info->name) + " has the form '" +
                     (coarse ? c.form.coarse : c.form.fine) +
                     "', which no public program has; the nearest known one is '";
  if (c.nearest == nullptr) return text + "none'";
  text += coarse ? c.nearest->coarse : c.nearest->fine;
  return text + "' (" + std::to_string(c.nearest->count) + " instructions)";
}

void check_executable(const darwinn::Executable& e, const std::string& place,
                      std::vector<Finding>& findings) {
  std::set<std::string> said;
  size_t shown[2] = {0, 0};
  for (size_t n = 0; n < e.bitstreams.size(); ++n) {
    for (const Instruction& i : parse(e.bitstreams[n].data).instructions) {
      const Compared c = compare(i);
      if (c.standing == Standing::known) continue;
      const bool coarse = c.standing == Standing::new_coarse;
      const std::string form = coarse ? c.form.coarse : c.form.fine;
      if (!said.insert(std::string(i.info->name) + " " + form).second) continue;
      if (++shown[coarse ? 0 : 1] > kMostOfARule) continue;
      findings.push_back(finding_of(
          info(coarse ? Rule::coarse_form : Rule::fine_form),
          place + "." + std::to_string(n) + " word " + std::to_string(i.word), message_of(i, c)));
    }
  }
}

}  // namespace

RuleTable all_rules() { return kFormRules; }
const RuleInfo& info(Rule rule) { return kFormRules[static_cast<size_t>(rule)]; }

std::vector<Finding> check_forms(const darwinn::File& file) {
  std::vector<Finding> findings;
  for (size_t o = 0; o < file.ops.size(); ++o) {
    for (size_t p = 0; p < file.ops[o].packages.size(); ++p) {
      const darwinn::Package& package = file.ops[o].packages[p];
      for (size_t e = 0; e < package.executables.size(); ++e) {
        check_executable(package.executables[e],
                         std::to_string(o) + "." + std::to_string(p) + "." + std::to_string(e),
                         findings);
      }
    }
  }
  return findings;
}

}  // namespace edgetwin::edgetpu::forms
