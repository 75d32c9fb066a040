#include "rules/registry.h"

#include <vector>

#include "evaluate/rules/rules.h"
#include "image/espdl/rules.h"
#include "ops/edgetpu/evidence.h"
#include "targets/edgetpu/compile/judge/rules.h"
#include "targets/edgetpu/forms/forms.h"
#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/sync/rules.h"
#include "targets/edgetpu/virtual_device/stick/rules.h"
#include "targets/espdl/check/rules.h"
#include "targets/max78/machine/state/finding_list.h"
#include "targets/max78/rules/rules.h"
#include "train/rules/rules.h"
#include "twin/tensors/rules.h"

namespace edgetwin::rules {
namespace {

// A statement about the Edge TPU's arithmetic: how it is known, and what follows from that.
RuleInfo arithmetic_rule(const ops::EdgetpuEvidence& row) {
  RuleInfo rule;
  rule.name = "edgetpu_arithmetic";
  rule.id = row.id;
  rule.title = row.statement;
  rule.text = row.basis;
  rule.severity = Severity::note;
  switch (row.status) {
    case ops::EdgetpuStatus::verified:
      rule.evidence = Evidence::recorded;
      rule.remedy = "Rely on it: recorded outputs of devices are equal.";
      break;
    case ops::EdgetpuStatus::probable:
      rule.evidence = Evidence::inferred;
      rule.remedy = "Compare with a device where single bits matter.";
      break;
    case ops::EdgetpuStatus::open:
      rule.severity = Severity::warning;
      rule.evidence = Evidence::open;
      rule.remedy = "Compare with a device before you rely on single bits.";
      break;
  }
  return rule;
}

std::vector<RuleInfo> arithmetic_rules() {
  std::vector<RuleInfo> rows;
  for (const ops::EdgetpuEvidence& row : ops::edgetpu_evidence()) {
    rows.push_back(arithmetic_rule(row));
  }
  return rows;
}

}  // namespace

std::span<const NamedTable> all_tables() {
  static const std::vector<RuleInfo> arithmetic = arithmetic_rules();
  static const NamedTable tables[] = {
      {"", "", all_errors()},
      {"tensors by number", "docs/bindings.md", twin::tensor_rules()},
      {"check of ESP-DL models", "docs/espdl-rules.md", targets::espdl::all_rules()},
      {"pictures for ESP-DL", "docs/espdl-image.md", espdl_image::all_image_rules()},
      {"check of MAX78000 and MAX78002 networks", "docs/max78-rules.md", max78::all_rules()},
      {"machine of MAX78000 and MAX78002", "docs/max78-machine.md", max78::all_events()},
      {"check of compiled Edge TPU models", "docs/edgetpu-isa.md", edgetpu::all_rules()},
      {"compiler for the Edge TPU", "docs/edgetpu-compiler.md", edgetpu::compiler::all_rules()},
      {"forms of Edge TPU instructions", "docs/edgetpu-sync.md", edgetpu::forms::all_rules()},
      {"order of the Edge TPU's engines", "docs/edgetpu-sync.md", edgetpu::sync::all_rules()},
      {"training", "docs/training.md", train::all_rules()},
      {"evaluations", "docs/evaluate.md", evaluation::all_rules()},
      {"virtual Edge TPU", "docs/edgetpu-stick.md", edgetpu::all_stick_rules()},
      {"arithmetic of the Edge TPU", "docs/numerics.md", arithmetic},
  };
  return tables;
}

FoundRule find(std::string_view id) {
  for (const NamedTable& table : all_tables()) {
    for (const RuleInfo& rule : table.rows) {
      if (rule.id == id) return {&rule, &table};
    }
  }
  return {};
}

}  // namespace edgetwin::rules
