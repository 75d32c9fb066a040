#include "edgetwin/check.h"

#include <algorithm>

#include "base/file.h"
#include "formats/darwinn/darwinn.h"
#include "formats/espdl/document/operators.h"
#include "formats/espdl/document/target.h"
#include "targets/edgetpu/forms/forms.h"
#include "targets/edgetpu/inspect/check.h"
#include "targets/espdl/check/check.h"
#include "targets/target.h"
#include "twin/espdl_choice.h"
#include "twin/load.h"
#include "twin/make/edgetpu_outlook.h"
#include "twin/max78_network.h"

namespace edgetwin {
namespace {

TargetCheck checked(const Target* target, std::vector<Finding> findings) {
  TargetCheck c;
  c.target = target;
  c.findings = std::move(findings);
  std::stable_sort(c.findings.begin(), c.findings.end(), [](const Finding& x, const Finding& y) {
    return static_cast<int>(x.severity) > static_cast<int>(y.severity);
  });
  c.fits = c.count(Severity::error) == 0;
  return c;
}

const Target* row_of(espdl::Target target) { return find_target(espdl::name(target)); }

const std::vector<espdl::Target>& with_vector_unit() {
  static const std::vector targets = {espdl::Target::esp32s3, espdl::Target::esp32p4};
  return targets;
}

// The one that is named, the one that the file tells, or all that fit.
Result<std::vector<espdl::Target>> targets_for(const std::string& named,
                                               const espdl::Document& document) {
  if (!named.empty()) {
    EDGETWIN_TRY_ASSIGN(const espdl::Target target, twin::named_target(named));
    return std::vector{target};
  }
  const auto evidence = espdl::target_evidence(document);
  return evidence.target ? std::vector{*evidence.target} : with_vector_unit();
}

Result<std::vector<TargetCheck>> check_espdl(ByteSpan data, const std::string& file,
                                             const OpenOptions& options) {
  EDGETWIN_TRY_ASSIGN(const espdl::Container container, twin::load_espdl(data, file, options.key));
  EDGETWIN_TRY(twin::refuse_unused_key(container.models, options.key, file));
  std::vector<TargetCheck> all;
  for (size_t i = 0; i < container.models.size(); ++i) {
    const espdl::ModelFile& model = container.models[i];
    const std::string& member = options.member;
    if (!member.empty() && member != model.name && member != std::to_string(i)) continue;
    EDGETWIN_TRY_ASSIGN(const auto targets, targets_for(options.target, model.document));
    for (const espdl::Target target : targets) {
      targets::espdl::CheckOptions how;
      how.file = file;
      all.push_back(checked(row_of(target), targets::espdl::check(model, target, how)));
      all.back().model = model.name;
    }
  }
  if (!all.empty()) return all;
  return Error(ErrorCode::usage, "the file holds no model '" + options.member + "'").in_file(file);
}

// What of a float network the target's runtime has an operator for, as far as it shows before the
// network is quantized.
std::vector<Finding> check_float_network(const Graph& graph) {
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

Result<std::vector<TargetCheck>> check_onnx(ByteSpan data, const std::string& file,
                                            const OpenOptions& options) {
  twin::LoadOptions how;
  how.shapes = options.shapes;
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(data, file, how));
  std::vector<espdl::Target> targets = with_vector_unit();
  if (!options.target.empty()) {
    EDGETWIN_TRY_ASSIGN(const espdl::Target target, twin::named_target(options.target));
    targets = {target};
  }
  std::vector<Finding> findings = loaded.model->findings;
  const std::vector<Finding> more = check_float_network(*loaded.graph());
  findings.insert(findings.end(), more.begin(), more.end());
  std::vector<TargetCheck> all;
  for (const espdl::Target target : targets) all.push_back(checked(row_of(target), findings));
  return all;
}

Result<std::vector<TargetCheck>> check_edgetpu(ByteSpan data, const std::string& file,
                                               const OpenOptions& options) {
  const Target& chip = targets::row(targets::Id::edgetpu);
  if (!options.target.empty() && find_target(options.target) != &chip) {
    return Error(ErrorCode::usage, "'" + file + "' is compiled for the target " +
                                       std::string(chip.name) + ", not '" + options.target + "'");
  }
  EDGETWIN_TRY_ASSIGN(const darwinn::File read, darwinn::read(data, file));
  std::vector<Finding> findings = edgetpu::check(read).findings;
  const std::vector<Finding> forms = edgetpu::forms::check_forms(read);
  findings.insert(findings.end(), forms.begin(), forms.end());
  return std::vector{checked(&chip, std::move(findings))};
}

// A network that is not compiled: what the compiler leaves to the host, and why.
Result<std::vector<TargetCheck>> check_for_edgetpu(ByteSpan data, const std::string& file,
                                                   const OpenOptions& options) {
  EDGETWIN_TRY_ASSIGN(twin::OutlookWithFindings made, twin::edgetpu_outlook(data, file, options));
  TargetCheck c = checked(&targets::row(targets::Id::edgetpu), std::move(made.findings));
  c.fits = made.outlook.on_chip != 0;
  c.operators = std::move(made.operators);
  c.outlook = std::make_shared<const EdgetpuOutlook>(std::move(made.outlook));
  return std::vector{std::move(c)};
}

Result<std::vector<TargetCheck>> check_max78(ByteSpan data, const std::string& file,
                                             const OpenOptions& options) {
  std::vector<TargetCheck> all;
  for (const Target& t : all_targets()) {
    if (t.family != Family::max78) continue;
    if (!options.target.empty() && find_target(options.target) != &t) continue;
    OpenOptions one = options;
    one.target = t.name;
    EDGETWIN_TRY_ASSIGN(const twin::Max78Network network, twin::open_max78(data, file, one));
    if (network.failure) return *network.failure;
    all.push_back(checked(&t, network.findings));
    all.back().fits = network.fits;
  }
  if (!all.empty()) return all;
  EDGETWIN_TRY(targets::require_target(options.target, {Family::max78}));
  return all;
}

}  // namespace

size_t TargetCheck::count(Severity severity) const {
  return static_cast<size_t>(std::count_if(
      findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == severity; }));
}

Result<std::vector<TargetCheck>> check(ByteSpan bytes, const std::string& name,
                                       const OpenOptions& options) {
  if (darwinn::container_of(bytes)) return check_edgetpu(bytes, name, options);
  switch (file_kind(bytes)) {
    case FileKind::espdl:
      return check_espdl(bytes, name, options);
    case FileKind::onnx:
      if (targets::find_id(options.target) == targets::Id::edgetpu) {
        return check_for_edgetpu(bytes, name, options);
      }
      return check_onnx(bytes, name, options);
    case FileKind::max78:
      return check_max78(bytes, name, options);
    case FileKind::tflite:
      if (options.target.empty() || targets::find_id(options.target) == targets::Id::edgetpu) {
        return check_for_edgetpu(bytes, name, options);
      }
      break;
    case FileKind::unknown:
      return twin::unknown_kind(name);
    default:
      break;
  }
  return Error(ErrorCode::file_kind,
               "the rules of a target are known for .espdl and .onnx files, networks of the "
               "MAX78000 and compiled Edge TPU models")
      .in_file(name)
      .with_hint("`info` and `run` say what of a .tflite model can be computed.");
}

Result<std::vector<TargetCheck>> check(const std::string& file, const OpenOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return check(ByteSpan(data), file, options);
}

}  // namespace edgetwin
