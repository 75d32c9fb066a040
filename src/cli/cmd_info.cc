#include <algorithm>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/compute.h"
#include "cli/exit_codes.h"
#include "cli/load.h"
#include "cli/verbs.h"
#include "report/format.h"
#include "report/model_info.h"
#include "report/tensor_stats.h"
#include "report/trace_io.h"

namespace edgetwin::cli {
namespace {

using report::Json;

std::string heading(const std::string& file, const std::string& what, size_t bytes) {
  return file + ": " + what + ", " + report::bytes_text(static_cast<int64_t>(bytes)) + "\n";
}

// A model that cannot be computed can still be described; why it cannot is a finding.
Finding as_finding(const Error& error) {
  Finding f;
  f.severity = Severity::warning;
  f.id = std::string(info(error.code).id);
  f.place = error.place.layer;
  f.message = "the model cannot be computed: " + error.message;
  f.hint = error.hint;
  return f;
}

Status describe_model(ByteSpan data, const std::string& file, Console& console, Json& json) {
  EDGETWIN_TRY_ASSIGN(const LoadedModel loaded, load_model(data, file));
  const Model& model = *loaded.model;
  ComputeArguments plain;  // what it says must not depend on this machine
  plain.plain = true;
  const Result<exec::Session> session = plan(loaded, plain, false);
  report::ModelSummary summary = report::summarize(model, session.ok() ? &*session : nullptr);
  if (!session.ok()) summary.findings.push_back(as_finding(session.error()));
  console.print(heading(file,
                        "TensorFlow Lite model, " + std::to_string(model.graphs.size()) +
                            (model.graphs.size() == 1 ? " graph" : " graphs"),
                        data.size()));
  console.print(report::model_text(model, summary, console.options().verbose));
  json.merge(report::model_json(model, summary));
  return Ok{};
}

std::string array_line(const Tensor& t, const report::TensorStats& s) {
  std::string line = t.name.empty() ? "" : "'" + t.name + "'  ";
  line += to_string(t.shape) + " " + std::string(name(t.dtype));
  if (s.elements > 0) {
    line += "  min " + report::value_text(s.min) + "  max " + report::value_text(s.max) +
            "  mean " + report::real_text(static_cast<float>(s.mean));
  }
  if (s.not_finite > 0) line += "  " + report::count_text(s.not_finite) + " not finite";
  return line + "\n";
}

Status describe_arrays(FileKind kind, ByteSpan data, const std::string& file, Console& console,
                       Json& json) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> arrays, load_tensors(kind, data, file));
  const std::string what = kind == FileKind::npy
                               ? "NumPy array"
                               : "NumPy archive, " + std::to_string(arrays.size()) + " arrays";
  console.print(heading(file, what, data.size()));
  Json list = Json::array();
  for (const Tensor& t : arrays) {
    const report::TensorStats stats = report::tensor_stats(t);
    console.print("  " + array_line(t, stats));
    list.push(report::tensor_json(t).merge(report::to_json(stats, false)));
  }
  json.set("arrays", std::move(list));
  return Ok{};
}

Status describe_picture(ByteSpan data, const std::string& file, Console& console, Json& json) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> tensors, load_tensors(FileKind::image, data, file));
  const Shape& s = tensors[0].shape;
  const char* color = s[2] == 1 ? "grey" : "colour";
  console.print(heading(file, "picture", data.size()));
  console.print("  " + std::to_string(s[1]) + " wide, " + std::to_string(s[0]) + " high, " + color +
                "\n");
  json.set("width", s[1]).set("height", s[0]).set("channels", s[2]);
  return Ok{};
}

Status describe(const std::string& file, Console& console, Json& json) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  const FileKind kind = file_kind(data);
  if (kind == FileKind::unknown) return unknown_kind(file);
  json.set("kind", name(kind)).set("bytes", data.size()).set("sha256", sha256_hex(data));
  switch (kind) {
    case FileKind::tflite:
      return describe_model(data, file, console, json);
    case FileKind::image:
      return describe_picture(data, file, console, json);
    default:
      return describe_arrays(kind, data, file, console, json);
  }
}

}  // namespace

Result<int> info_verb(const InfoArguments& arguments, Console& console) {
  int exit_code = kYes;
  Json files = Json::array();
  bool described = false;
  for (const std::string& file : arguments.files) {
    if (described) console.print("\n");
    Json json = Json::object();
    json.set("file", file);
    const Status status = describe(file, console, json);
    described = status.ok();
    if (!status.ok()) exit_code = std::max(exit_code, console.error(status.error()));
    files.push(std::move(json));
  }
  console.json().set("files", std::move(files));
  return exit_code;
}

}  // namespace edgetwin::cli
