#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/info/arguments.h"
#include "cli/info/describe.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "formats/darwinn/darwinn.h"
#include "formats/espdl/companions.h"
#include "formats/espdl/describe.h"
#include "formats/espdl/lower.h"
#include "report/format.h"
#include "report/model_info.h"
#include "report/tensor_stats.h"
#include "report/trace_io.h"
#include "targets/edgetpu/invoke/split.h"
#include "twin/compute.h"
#include "twin/load.h"

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
  f.id = std::string(error.id());
  f.place = error.place.layer;
  f.message = "the model cannot be computed: " + error.message;
  f.hint = error.hint;
  return f;
}

std::string model_kind(const twin::LoadedModel& loaded) {
  if (loaded.espdl != nullptr) {
    return "ESP-DL model EDL" + std::to_string(loaded.espdl->edl_version) +
           (loaded.espdl->encrypted ? ", encrypted" : "");
  }
  if (loaded.model->format == "onnx") return "ONNX network";
  const size_t graphs = loaded.model->graphs.size();
  return "TensorFlow Lite model, " + std::to_string(graphs) + (graphs == 1 ? " graph" : " graphs");
}

void describe_summary(const twin::LoadedModel& loaded, Console& console, Json& json) {
  const Model& model = *loaded.model;
  ComputeArguments plain;  // what it says must not depend on this machine
  plain.plain = true;
  const Result<exec::Session> session = twin::plan(loaded, plain, false);
  report::ModelSummary summary = report::summarize(model, session.ok() ? &*session : nullptr);
  if (!session.ok()) summary.findings.push_back(as_finding(session.error()));
  console.print(report::model_text(model, summary, console.options().verbose));
  json.merge(report::model_json(model, summary));
}

// Which operators run where, and which one ends the part on the device.
void describe_split(const Graph& graph, Console& console, Json& json) {
  Json list = Json::array();
  std::string picture = "split       input";
  std::string rows;
  for (const edgetpu::SplitLine& line :
       edgetpu::describe_split(graph, edgetpu::graph_parts(graph))) {
    std::string where = line.where;
    picture += " -> [" + where + "]";
    where.resize(std::max<size_t>(where.size(), 8), ' ');
    rows += "  " + where + "  " + line.what + "\n";
    if (!line.why.empty()) rows += "            " + line.why + "\n";
    Json j = Json::object();
    j.set("where", line.where).set("operators", line.what).set("why", line.why);
    list.push(std::move(j));
  }
  console.print("\n" + picture + " -> output\n" + rows);
  json.set("split", std::move(list));
}

Status describe_model(ByteSpan data, const std::string& file, const InfoArguments& a,
                      Console& console, Json& json) {
  twin::LoadOptions options;
  options.shapes = a.shapes;
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(data, file, options));
  console.print(heading(file, model_kind(loaded), data.size()));
  describe_summary(loaded, console, json);
  if (!darwinn::container_of(data)) return Ok{};
  describe_split(loaded.model->main(), console, json);
  EDGETWIN_TRY(describe_edgetpu(data, file, console, json));
  return a.program ? describe_program(data, file, console, json) : Status(Ok{});
}

// The bytes of the headers, field by field.
Status describe_headers(ByteSpan data, const std::string& file, Console& console, Json& json) {
  EDGETWIN_TRY_ASSIGN(const auto lines, espdl::describe(data, file));
  report::TextTable table({{"offset", report::TextTable::Align::right},
                           {"size", report::TextTable::Align::right},
                           {"field"},
                           {"value"}});
  Json list = Json::array();
  for (const espdl::DumpLine& line : lines) {
    table.add({std::to_string(line.offset), std::to_string(line.size), line.field, line.value});
    Json j = Json::object();
    j.set("offset", line.offset).set("size", line.size).set("field", line.field);
    list.push(j.set("value", line.value));
  }
  if (console.options().verbose) console.print(table.text() + "\n");
  json.set("headers", std::move(list));
  return Ok{};
}

// What a device does not need, but people do: who made it, for whom, tables, test values.
void describe_document(const twin::LoadedModel& loaded, Console& console, Json& json) {
  const espdl::Document& d = loaded.espdl->document;
  const espdl::TargetEvidence evidence = espdl::target_evidence(d);
  const std::string target =
      evidence.target ? std::string(espdl::name(*evidence.target)) : "not told by the file";
  size_t tables = 0;
  for (const Op& op : loaded.model->main().ops) tables += op.table == kAbsent ? 0 : 1;
  console.print("target      " + target + ": " + evidence.why + "\n");
  console.print("file        ir version " + std::to_string(d.ir_version) + ", model version " +
                std::to_string(d.model_version) + ", look-up tables " + std::to_string(tables) +
                ", embedded test values " + std::to_string(d.test_inputs.size()) + " in, " +
                std::to_string(d.test_outputs.size()) + " out\n");
  json.set("target", evidence.target ? Json(target) : Json()).set("target_evidence", evidence.why);
  json.set("ir_version", d.ir_version).set("model_version", d.model_version);
  json.set("look_up_tables", tables).set("test_inputs", d.test_inputs.size());
  json.set("test_outputs", d.test_outputs.size());
}

// <name>.info and <name>.json, as upstream's exporter writes them beside the model.
Status write_companions(const espdl::ModelFile& model, const std::string& stem,
                        AtomicFolder& folder) {
  const auto target = espdl::target_evidence(model.document).target;
  const std::string name = target ? std::string(espdl::name(*target)) : "";
  EDGETWIN_TRY(folder.write(stem + ".info", std::string_view(espdl::info_text(model.document))));
  return folder.write(stem + ".json", std::string_view(espdl::config_json(model.document, name)));
}

Status describe_espdl(ByteSpan data, const std::string& file, const InfoArguments& a,
                      Console& console, Json& json) {
  EDGETWIN_TRY_ASSIGN(const espdl::Container container, twin::load_espdl(data, file, a.key));
  std::optional<AtomicFolder> folder;
  if (!a.companions.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder made, a.companions.folder());
    folder.emplace(std::move(made));
  }
  const bool package = container.package_version != 0;
  if (package) {
    console.print(heading(file,
                          "ESP-DL package PDL" + std::to_string(container.package_version) + ", " +
                              std::to_string(container.models.size()) + " models",
                          data.size()));
    json.set("package_version", container.package_version);
    json.set("version_text", container.version_text);
  }
  EDGETWIN_TRY(describe_headers(data, file, console, json));
  Json models = Json::array();
  for (size_t i = 0; i < container.models.size(); ++i) {
    const espdl::ModelFile& model = container.models[i];
    twin::LoadOptions options;
    options.member = std::to_string(i);
    options.key = a.key;
    options.any_target = true;
    EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(data, file, options));
    console.print(heading(package ? "\nmodel " + std::to_string(i) + " '" + model.name + "'" : file,
                          model_kind(loaded), data.size()));
    Json j = Json::object();
    if (package) j.set("name", model.name);
    describe_document(loaded, console, j);
    describe_summary(loaded, console, j);
    models.push(std::move(j));
    const std::string stem = std::filesystem::path(package ? model.name : file).stem().string();
    if (folder) EDGETWIN_TRY(write_companions(model, stem, *folder));
  }
  json.set("models", std::move(models));
  return folder ? folder->commit() : Status(Ok{});
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
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> arrays, twin::load_tensors(kind, data, file));
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
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> tensors,
                      twin::load_tensors(FileKind::image, data, file));
  const Shape& s = tensors[0].shape;
  const char* color = s[2] == 1 ? "grey" : "colour";
  console.print(heading(file, "picture", data.size()));
  console.print("  " + std::to_string(s[1]) + " wide, " + std::to_string(s[0]) + " high, " + color +
                "\n");
  json.set("width", s[1]).set("height", s[0]).set("channels", s[2]);
  return Ok{};
}

Status describe(const std::string& file, const InfoArguments& a, Console& console, Json& json) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  const FileKind kind = twin::sniff(data);
  // A checkpoint is a zip archive too, but not one of arrays.
  const bool ours = kind == FileKind::unknown || kind == FileKind::npz;
  if (ours && is_max78_file(data)) {
    return describe_max78(data, file, a, console, json);
  }
  EDGETWIN_TRY(is_max78_network(data, a.max78, "info"));
  if (kind == FileKind::unknown) {
    if (!darwinn::container_of(data)) return twin::unknown_kind(file);
    json.set("bytes", data.size()).set("sha256", sha256_hex(data));
    EDGETWIN_TRY(describe_edgetpu(data, file, console, json));
    return a.program ? describe_program(data, file, console, json) : Status(Ok{});
  }
  json.set("kind", edgetwin::name(kind)).set("bytes", data.size()).set("sha256", sha256_hex(data));
  switch (kind) {
    case FileKind::espdl:
      return describe_espdl(data, file, a, console, json);
    case FileKind::tflite:
    case FileKind::onnx:
      return describe_model(data, file, a, console, json);
    case FileKind::image:
      return describe_picture(data, file, console, json);
    default:
      return describe_arrays(kind, data, file, console, json);
  }
}

}  // namespace

Result<int> execute(const InfoArguments& arguments, Console& console) {
  int exit_code = kYes;
  Json files = Json::array();
  bool described = false;
  for (const std::string& file : arguments.files) {
    if (described) console.print("\n");
    Json json = Json::object();
    json.set("file", file);
    const Status status = describe(file, arguments, console, json);
    described = status.ok();
    if (!status.ok()) exit_code = std::max(exit_code, console.error(status.error()));
    files.push(std::move(json));
  }
  console.json().set("files", std::move(files));
  return exit_code;
}

}  // namespace edgetwin::cli
