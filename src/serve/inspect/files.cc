// What is open, and what is inside.
#include "edgetwin/explain.h"
#include "report/model/model_info.h"
#include "report/tensor_stats.h"
#include "serve/inspect/inspect.h"
#include "serve/inspect/max78.h"
#include "serve/inspect/requests.h"
#include "twin/compute.h"

namespace edgetwin::serve {
namespace {

Json row_of(const OpenedFile& f) {
  Json j = Json::object();
  j.set("id", f.id).set("name", f.name).set("kind", name(f.kind));
  j.set("bytes", f.data.size()).set("sha256", f.sha256);
  j.set("target", f.loaded == nullptr ? Json() : Json(f.loaded->target));
  const bool graph = f.loaded != nullptr || f.kind == FileKind::max78;
  return j.set("has_graph", graph).set("has_run", f.run != nullptr);
}

Finding cannot_compute(const Error& error) {
  Finding f;
  f.severity = Severity::warning;
  f.id = std::string(error.id());
  f.place = error.place.layer;
  f.message = "the model cannot be computed: " + error.message;
  f.hint = error.hint;
  return f;
}

// Compiled operators are computed by the machine, not by this graph.
Json graph_json(const twin::LoadedModel& loaded, bool compiled) {
  twin::ComputeOptions plain;
  plain.plain = true;
  const Result<exec::Session> session = twin::plan(loaded, plain, false);
  report::ModelSummary summary =
      report::summarize(*loaded.model, session.ok() ? &*session : nullptr);
  if (!session.ok() && !compiled) summary.findings.push_back(cannot_compute(session.error()));
  return report::model_json(*loaded.model, summary);
}

}  // namespace

std::string member_of(const Members& m, const std::string& key) {
  const auto found = m.find(key);
  return found == m.end() ? "" : found->second;
}

Result<Json> inspect_open(FileStore& files, const Members& m, ByteSpan data) {
  OpenOptions o;
  o.target = member_of(m, "target");
  o.numerics = member_of(m, "numerics");
  o.member = member_of(m, "member");
  std::string name = member_of(m, "name");
  if (name.empty()) name = "file";
  EDGETWIN_TRY_ASSIGN(const auto file, files.open(name, data, o));
  Json j = row_of(*file);
  return j.set("success", true);
}

Result<Json> inspect_files(const FileStore& files) {
  Json list = Json::array();
  for (const auto& file : files.all()) list.push(row_of(*file));
  Json j = Json::object();
  return j.set("files", std::move(list));
}

Result<Json> inspect_close(FileStore& files, const Members& m) {
  EDGETWIN_TRY(files.close(member_of(m, "id")));
  Json j = Json::object();
  return j.set("success", true);
}

Result<Json> inspect_info(const FileStore& files, const Members& m) {
  EDGETWIN_TRY_ASSIGN(const auto file, files.find(member_of(m, "id")));
  Json j = row_of(*file);
  if (file->loaded != nullptr)
    j.set("network", graph_json(*file->loaded, file->kind == FileKind::edgetpu));
  if (file->kind == FileKind::max78) {
    EDGETWIN_TRY_ASSIGN(const BriefFolder folder, BriefFolder::create());
    EDGETWIN_TRY_ASSIGN(const OpenOptions options, max78_options(files, *file, m, folder));
    EDGETWIN_TRY_ASSIGN(Json network, max78_network(*file, options));
    j.set("network", std::move(network));
  }
  if (file->kind == FileKind::max78_program) {
    EDGETWIN_TRY_ASSIGN(Json program, max78_program(*file));
    j.set("program", std::move(program));
  }
  if (file->kind == FileKind::npy || file->kind == FileKind::npz || file->kind == FileKind::image) {
    EDGETWIN_TRY_ASSIGN(const auto tensors, twin::load_tensors(file->kind, file->data, file->name));
    Json list = Json::array();
    for (const Tensor& t : tensors) {
      Json row = Json::object();
      row.set("name", t.name).set("type", name(t.dtype)).set("shape", report::to_json(t.shape));
      list.push(row.set("stats", report::to_json(report::tensor_stats(t), true)));
    }
    j.set("tensors", std::move(list));
  }
  return j;
}

Result<Json> inspect_explain(const Members& m) {
  const std::string rule = member_of(m, "rule");
  const Explanation* e = explain(rule);
  if (e == nullptr) {
    return Error(ErrorCode::bad_value, "no rule has the id '" + rule.substr(0, 40) + "'");
  }
  Json j = Json::object();
  j.set("id", e->id).set("severity", name(e->severity)).set("title", e->title);
  j.set("text", e->text).set("remedy", e->remedy).set("evidence", e->evidence);
  return j.set("about", e->about).set("page", e->page);
}

}  // namespace edgetwin::serve
