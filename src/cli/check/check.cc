#include <algorithm>

#include "base/file.h"
#include "cli/check/arguments.h"
#include "cli/check/kinds.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "formats/darwinn/darwinn.h"
#include "formats/espdl/document/operators.h"
#include "formats/espdl/document/target.h"
#include "report/format.h"
#include "targets/espdl/check/check.h"
#include "twin/espdl_choice.h"
#include "twin/load.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// The targets to check for: the one that is named, the one that the file tells, or all that fit.
Result<std::vector<espdl::Target>> targets_for(const CheckArguments& a,
                                               const espdl::Document& document) {
  if (!a.target.empty()) {
    EDGETWIN_TRY_ASSIGN(const espdl::Target target, twin::named_target(a.target));
    return std::vector{target};
  }
  const auto evidence = espdl::target_evidence(document);
  if (evidence.target) return std::vector{*evidence.target};
  return std::vector{espdl::Target::esp32s3, espdl::Target::esp32p4};
}

struct Counts {
  int errors = 0, warnings = 0, notes = 0;
};

Counts count(const std::vector<Finding>& findings) {
  Counts c;
  for (const Finding& f : findings) {
    c.errors += f.severity == Severity::error ? 1 : 0;
    c.warnings += f.severity == Severity::warning ? 1 : 0;
    c.notes += f.severity == Severity::note ? 1 : 0;
  }
  return c;
}

std::string number(int n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

// Prints what was found and the verdict; true if the target takes the model.
bool report_target(const CheckArguments& a, espdl::Target target, std::vector<Finding> findings,
                   Console& console, Json& list) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& x, const Finding& y) {
    return static_cast<int>(x.severity) > static_cast<int>(y.severity);
  });
  const Counts c = count(findings);
  const bool yes = c.errors == 0 && (!a.strict || c.warnings == 0);
  const std::string name(espdl::name(target));
  Json j = Json::object();
  Json items = Json::array();
  for (const Finding& f : findings) {
    if (f.severity != Severity::note || console.options().verbose) console.print(to_text(f));
    items.push(report::to_json(f));
  }
  const std::string verdict = name + ": " + (yes ? "can run" : "cannot run as it is") + ", " +
                              number(c.errors, "error") + ", " + number(c.warnings, "warning") +
                              ", " + number(c.notes, "note");
  console.print(verdict + "\n");
  j.set("target", name).set("yes", yes).set("verdict", verdict).set("findings", std::move(items));
  list.push(std::move(j));
  return yes;
}

// What of a float network the target's runtime has an operator for, as far as it shows before the
// network is quantized.
std::vector<Finding> check_network(const Graph& graph) {
  std::vector<Finding> findings;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    if (espdl::is_operator(op.type)) continue;
    findings.push_back(
        {Severity::error, "OPS-OP-01", op_label(graph, i), "the runtime has no operator " + op.type,
         "Replace it by operators of docs/supported-ops.md, or compute it outside."});
  }
  for (const ValueId id : graph.inputs) {
    const Value& v = graph.value(id);
    if (v.shape.rank() < 3 || v.shape[0] == 1) continue;
    findings.push_back({Severity::error, "OPS-UNDEF-01", v.name,
                        "an input of " + to_string(v.shape) + ": the runtime computes one picture",
                        "Give a shape with 1 in front: --shape " + v.name + "=1,…"});
  }
  return findings;
}

Result<int> check_onnx(const CheckArguments& a, ByteSpan data, Console& console) {
  twin::LoadOptions options;
  options.shapes = a.shapes;
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(data, a.model, options));
  std::vector<espdl::Target> targets = {espdl::Target::esp32s3, espdl::Target::esp32p4};
  if (!a.target.empty()) {
    EDGETWIN_TRY_ASSIGN(const espdl::Target target, twin::named_target(a.target));
    targets = {target};
  }
  bool yes = true;
  Json list = Json::array();
  for (const espdl::Target target : targets) {
    std::vector<Finding> findings = loaded.model->findings;
    const std::vector<Finding> more = check_network(*loaded.graph());
    findings.insert(findings.end(), more.begin(), more.end());
    yes = report_target(a, target, std::move(findings), console, list) && yes;
  }
  console.json().set("model", a.model).set("checks", std::move(list));
  return yes ? kYes : kNo;
}

}  // namespace

Result<int> execute(const CheckArguments& a, Console& console) {
  const Result<Bytes> content = read_file(a.model);
  EDGETWIN_TRY_ASSIGN(
      const bool network,
      is_max78_network(content.ok() ? ByteSpan(*content) : ByteSpan(), a.max78, "check"));
  if (network) return check_max78(a, console);
  if (!content.ok()) return content.error();
  const Bytes& data = *content;
  const FileKind kind = twin::sniff(data);
  if (darwinn::container_of(data)) return check_edgetpu(a, data, console);
  if (kind == FileKind::unknown) return twin::unknown_kind(a.model);
  if (kind == FileKind::onnx) return check_onnx(a, data, console);
  if (kind != FileKind::espdl) {
    return Error(ErrorCode::file_kind,
                 "the rules of a target are known for .espdl and .onnx files, networks of the "
                 "MAX78000 and compiled Edge TPU models")
        .in_file(a.model)
        .with_hint("`info` and `run` say what of a .tflite model can be computed.");
  }
  EDGETWIN_TRY_ASSIGN(const espdl::Container container, twin::load_espdl(data, a.model, a.key));
  bool yes = true;
  bool any = false;
  Json list = Json::array();
  for (size_t i = 0; i < container.models.size(); ++i) {
    const espdl::ModelFile& model = container.models[i];
    if (!a.member.empty() && a.member != model.name && a.member != std::to_string(i)) continue;
    any = true;
    if (!model.name.empty()) console.print("model '" + model.name + "'\n");
    EDGETWIN_TRY_ASSIGN(const auto targets, targets_for(a, model.document));
    for (const espdl::Target target : targets) {
      targets::espdl::CheckOptions options;
      options.file = a.model;
      yes =
          report_target(a, target, targets::espdl::check(model, target, options), console, list) &&
          yes;
    }
  }
  if (!any) {
    return Error(ErrorCode::usage, "the file holds no model '" + a.member + "'").in_file(a.model);
  }
  console.json().set("model", a.model).set("checks", std::move(list));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
