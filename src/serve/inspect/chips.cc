// Opened files beside each other, and beside chips.
#include "edgetwin/check.h"
#include "edgetwin/compare_chips.h"
#include "edgetwin/diff.h"
#include "edgetwin/estimate.h"
#include "edgetwin/explain.h"
#include "serve/inspect/inspect.h"
#include "serve/inspect/max78.h"
#include "serve/inspect/requests.h"

namespace edgetwin::serve {
namespace {

OpenOptions options_with(const OpenedFile& file, const Members& m) {
  OpenOptions o = file.options;
  if (!member_of(m, "target").empty()) o.target = member_of(m, "target");
  return o;
}

}  // namespace

Result<Json> inspect_diff(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto a, files.find(member_of(m, "a")));
  EDGETWIN_TRY_ASSIGN(const auto b, files.find(member_of(m, "b")));
  EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
  EDGETWIN_TRY_ASSIGN(const std::string left, folder.write("a_" + a->name, a->data));
  EDGETWIN_TRY_ASSIGN(const std::string right, folder.write("b_" + b->name, b->data));
  EDGETWIN_TRY_ASSIGN(const FileDifference d, diff_files(left, right));
  Json notes = Json::array();
  for (const Finding& f : d.notes) notes.push(to_json(f));
  Json j = Json::object();
  j.set("success", true).set("kind", d.kind).set("equal", d.equal).set("verdict", d.verdict);
  return j.set("lines", Json::list(d.lines)).set("notes", std::move(notes));
}

Result<Json> inspect_check(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
  OpenOptions open = options_with(*file, m);
  if (file->kind == FileKind::max78) {
    EDGETWIN_TRY_ASSIGN(open, max78_options(files, *file, m, folder));
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<TargetCheck> checks, check(file->data, file->name, open));
  Json list = Json::array();
  for (const TargetCheck& c : checks) {
    Json findings = Json::array();
    for (const Finding& f : c.findings) findings.push(explained(f));
    Json row = Json::object();
    row.set("model", c.model).set("target", c.target->name).set("fits", c.fits);
    list.push(row.set("findings", std::move(findings)));
  }
  Json j = Json::object();
  return j.set("success", true).set("checks", std::move(list));
}

Result<Json> inspect_estimate(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
  EstimateOptions o;
  o.open = options_with(*file, m);
  if (file->kind == FileKind::max78) {
    EDGETWIN_TRY_ASSIGN(o.open, max78_options(files, *file, m, folder));
  }
  EDGETWIN_TRY_ASSIGN(const Estimate e, estimate(file->data, file->name, o));
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(estimate_json(e), "estimate"));
  Json j = Json::object();
  j.set("success", true).set("estimate", document).set("text", estimate_text(e, false));
  return j.set("svg", estimate_picture(e));
}

Result<Json> inspect_chips(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  if (file->kind != FileKind::onnx) {
    return Error(ErrorCode::file_kind, "'" + file->name + "' is not a float network (.onnx)");
  }
  EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
  EDGETWIN_TRY_ASSIGN(const std::string path, folder.write(file->name, file->data));
  CompareChipsOptions o;
  EDGETWIN_TRY_ASSIGN(const auto samples, files_member(files, m, "calibration"));
  EDGETWIN_TRY_ASSIGN(const BriefFolder beside, BriefFolder::create());
  EDGETWIN_TRY_ASSIGN(const std::string set, beside.write_set(samples));
  o.quantize.calibrate = {set};
  o.quantize.analyse = true;
  EDGETWIN_TRY_ASSIGN(const ComparedNetwork compared, compare_chips(path, o));
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(compare_chips_json({compared}), "chips"));
  Json layers = Json::array();
  for (const ComparedChip& c : compared.chips) {
    Json rows = Json::array();
    for (const QuantizedLayerNoise& l : c.layers) {
      Json row = Json::object();
      row.set("layer", l.layer).set("accumulated", l.accumulated).set("cosine", l.cosine);
      rows.push(std::move(row));
    }
    Json chip = Json::object();
    chip.set("target", c.target).set("fits", c.fits).set("reason", c.reason);
    chip.set("output_noise", c.output_noise ? Json(*c.output_noise) : Json());
    layers.push(chip.set("layers", std::move(rows)));
  }
  Json j = Json::object();
  return j.set("success", true).set("chips", std::move(layers)).set("comparison", document);
}

}  // namespace edgetwin::serve
