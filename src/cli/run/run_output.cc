#include "cli/run/run_output.h"

#include "base/sha256.h"
#include "report/format.h"
#include "report/tensor_stats.h"
#include "report/trace_io.h"
#include "tensor/npy.h"
#include "twin/decode/decode_text.h"
#include "twin/espdl_choice.h"
#include "twin/network_impl.h"

namespace edgetwin::cli {
namespace {

using report::Json;

constexpr size_t kBest = 5;

std::string output_file(size_t index) { return "output_" + std::to_string(index) + ".npy"; }

std::string summary_line(size_t index, const Tensor& t) {
  const report::TensorStats stats = report::tensor_stats(t);
  const std::string quant = to_string(t.quant);
  std::string line = "output " + std::to_string(index) + "  '" + t.name + "'  " +
                     to_string(t.shape) + " " + std::string(name(t.dtype)) +
                     (quant.empty() ? "" : " " + quant);
  if (stats.elements > 0) {
    line += "  min " + report::value_text(stats.min) + "  max " + report::value_text(stats.max) +
            "  mean " + report::real_text(static_cast<float>(stats.mean));
  }
  return line + "  sha256 " + sha256_hex(t.data).substr(0, 16) + "\n";
}

void warn(const std::string& message, const std::string& hint, Console& console) {
  Finding f;
  f.severity = Severity::warning;
  f.message = message;
  f.hint = hint;
  console.finding(f);
}

}  // namespace

Json outputs_json(const std::vector<Tensor>& outputs) {
  Json list = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool writable = !npy_descriptor(outputs[i].dtype).empty();
    Json j = Json::object();
    j.set("index", i).set("file", writable ? Json(output_file(i)) : Json());
    j.merge(report::tensor_json(outputs[i])).set("sha256", sha256_hex(outputs[i].data));
    list.push(std::move(j));
  }
  return list;
}

namespace {

Json origin_of(Json model, const Inputs& inputs, const std::string& numerics) {
  Json given = Json::array();
  for (const GivenInput& g : inputs.given) {
    Json j = Json::object();
    j.set("input", g.text);
    if (!g.sha256.empty()) j.set("sha256", g.sha256);
    given.push(std::move(j));
  }
  Json j = Json::object();
  j.set("model", std::move(model)).set("inputs", std::move(given));
  return std::move(j.set("numerics", numerics));
}

}  // namespace

Json origin_json(const Network& network, const Inputs& inputs, const std::string& numerics) {
  const bool espdl = network.kind() == FileKind::espdl;
  Json model = Json::object();
  model.set("file", network.file()).set("sha256", network.sha256());
  if (espdl || network.kind() == FileKind::max78) model.set("target", network.target()->name);
  Json j = origin_of(std::move(model), inputs, numerics);
  const auto runtime = twin::runtime_version(network.impl().options.runtime);
  if (espdl && runtime.ok()) j.set("runtime", *runtime);
  return j;
}

Json origin_json(const twin::LoadedModel& loaded, const Inputs& inputs,
                 const exec::Options& options) {
  Json model = Json::object();
  model.set("file", loaded.file).set("sha256", loaded.sha256);
  return origin_of(std::move(model), inputs, options.numerics);
}

Status write_outputs(const std::vector<Tensor>& outputs, const Json& origin,
                     const std::optional<Decoded>& decoded, AtomicFolder& folder) {
  if (decoded) {
    const std::string member = twin::member_of(*decoded);
    Json document = Json::object();
    document.set("schema", 1).set(member, twin::to_json(*decoded));
    EDGETWIN_TRY(folder.write(member + ".json", std::string_view(document.text())));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (npy_descriptor(outputs[i].dtype).empty()) continue;
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(outputs[i]));
    EDGETWIN_TRY(folder.write(output_file(i), bytes));
  }
  Json document = Json::object();
  document.set("schema", 1).merge(origin).set("outputs", outputs_json(outputs));
  return folder.write(report::kOutputsFile, std::string_view(document.text()));
}

void print_summary(const std::vector<Tensor>& outputs, Console& console) {
  for (size_t i = 0; i < outputs.size(); ++i) console.print(summary_line(i, outputs[i]));
}

void check_labels(const std::vector<Tensor>& outputs, const Labels& labels, Console& console) {
  bool any = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_classification(outputs[i])) continue;
    any = true;
    const auto classes = static_cast<size_t>(outputs[i].shape.back(0));
    if (labels.size() >= classes) continue;
    warn("output " + std::to_string(i) + " has " + std::to_string(classes) +
             " classes, the labels file names " + std::to_string(labels.size()),
         "Check that the file belongs to this model.", console);
  }
  if (any) return;
  warn("no output is a list of classes, so the labels are not used", "", console);
}

Json print_best(const std::vector<Tensor>& outputs, const Labels& labels, Console& console) {
  Json all = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_classification(outputs[i])) continue;
    report::TextTable table({{"score", report::TextTable::Align::right},
                             {"class", report::TextTable::Align::right},
                             {"label"}});
    Json list = Json::array();
    for (const RankedClass& r : best_classes(outputs[i], labels, kBest)) {
      table.add({report::real_text(static_cast<float>(r.score)), std::to_string(r.index), r.label});
      Json j = Json::object();
      list.push(j.set("class", r.index).set("score", r.score).set("label", r.label));
    }
    console.print("best classes of output " + std::to_string(i) + "\n" + table.text());
    Json j = Json::object();
    all.push(j.set("output", i).set("best", std::move(list)));
  }
  return all;
}

}  // namespace edgetwin::cli
