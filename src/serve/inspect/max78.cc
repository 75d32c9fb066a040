#include "serve/inspect/max78.h"

#include <set>

#include "report/json.h"
#include "targets/max78/machine/player/dump.h"
#include "targets/max78/page/memory_drawing.h"
#include "targets/max78/page/texts.h"
#include "targets/max78/pipeline/load.h"
#include "targets/max78/program/program_text.h"
#include "targets/target.h"
#include "twin/max78_network.h"

namespace edgetwin::serve {
namespace {

Finding finding_of(Severity severity, const std::string& message) {
  Finding f;
  f.severity = severity;
  f.message = message;
  return f;
}

std::string size_of(max78::Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); }

Json operator_row(const max78::HardwareLayer& l, const std::vector<int>& needs) {
  Json options = Json::object();
  options.set("input", std::to_string(l.in_channels) + "x" + size_of(l.in_dim));
  options.set("output", std::to_string(l.out_channels) + "x" + size_of(l.out_dim));
  options.set("weight_bits", l.bits()).set("output_shift", l.shift);
  options.set("input_address", max78::offset_text(l.in_offset));
  options.set("output_address", max78::offset_text(l.out_offset));
  options.set("output_bits", l.output_width).set("streaming", l.streaming);
  Json inputs = Json::array(), outputs = Json::array();
  for (const int from : needs) inputs.push(from + 1);
  outputs.push(l.index + 1);
  Json row = Json::object();
  row.set("index", l.index).set("type", max78::operator_text(l)).set("name", l.yaml->name);
  row.set("inputs", std::move(inputs)).set("outputs", std::move(outputs));
  const int64_t weights = l.passthrough() ? 0
                                          : int64_t{l.in_channels} * l.out_channels * l.kernel.h *
                                                l.kernel.w / std::max(l.groups, 1);
  row.set("parameters", weights).set("macs", Json());
  return row.set("options", std::move(options));
}

Json tensor_row(const std::string& name, const char* kind, int c, max78::Size2 s, int bits) {
  Json t = Json::object();
  t.set("name", name).set("kind", kind).set("type", bits == 32 ? "int32" : "int8");
  return t.set("shape", report::to_json(Shape{c, s.h, s.w}));
}

// Layers that a layer reads; -1 is the input.
std::vector<int> needs_of(const max78::HardwareLayer& l) {
  if (!l.yaml->in_sequences) return {l.prev};
  std::vector<int> needs;
  for (const int from : *l.yaml->in_sequences) needs.push_back(std::max(from, -1));
  return needs;
}

void add_layers(const max78::Planning& planning, Json& network) {
  const max78::HardwarePlan& plan = *planning.hardware;
  Json operators = Json::array(), tensors = Json::array();
  const max78::SampleShape& s = plan.sample;
  tensors.push(tensor_row("input", "input", s.c, {s.h, s.w}, 8));
  const std::set<int> runs(plan.order.begin(), plan.order.end());
  for (int i = 0; i <= *runs.rbegin(); ++i) {
    const max78::HardwareLayer& l = plan.layer(i);
    const std::string own = l.yaml->name.empty() ? "layer " + std::to_string(i) : l.yaml->name;
    tensors.push(tensor_row(own, "tensor", l.out_channels, l.out_dim, l.output_width));
  }
  for (const int i : plan.order) {
    operators.push(operator_row(plan.layer(i), needs_of(plan.layer(i))));
  }
  network.set("operators", std::move(operators)).set("tensors", std::move(tensors));
  network.set("memory", max78::memory_json(planning));
  network.set("memory_svg", plot::to_svg(max78::memory_drawing(planning)));
  if (const max78::Plan* placed = planning.plan()) {
    network.set("statistics", max78::statistics_json(*placed));
  }
}

// The path of a file that another member names; empty: it is not named.
Result<std::string> written(const FileStore& files, const Members& m, const std::string& key,
                            const BriefFolder& folder) {
  const std::string id = member_of(m, key);
  if (id.empty()) return std::string();
  if (key == "sample" && id.starts_with("xs32:")) return id;
  EDGETWIN_TRY_ASSIGN(const auto other, files.find(id));
  return folder.write(key + "_" + other->name, other->data);
}

}  // namespace

Result<OpenOptions> max78_options(const FileStore& files, const OpenedFile& file, const Members& m,
                                  const BriefFolder& folder) {
  OpenOptions o = file.options;
  if (!member_of(m, "target").empty()) o.target = member_of(m, "target");
  if (o.target.empty()) o.target = targets::name(targets::Id::max78000);
  EDGETWIN_TRY_ASSIGN(const std::string weights, written(files, m, "weights", folder));
  if (!weights.empty()) {
    EDGETWIN_TRY_ASSIGN(const auto named, files.find(member_of(m, "weights")));
    (named->kind == FileKind::checkpoint ? o.checkpoint : o.weights) = weights;
  }
  EDGETWIN_TRY_ASSIGN(o.bias, written(files, m, "bias", folder));
  EDGETWIN_TRY_ASSIGN(o.sample, written(files, m, "sample", folder));
  o.input_shape = member_of(m, "input_shape");
  return o;
}

Result<Json> max78_network(const OpenedFile& file, const OpenOptions& options) {
  std::optional<Finding> note;
  EDGETWIN_TRY_ASSIGN(max78::NetworkSources sources,
                      twin::max78_sources(file.data, file.name, options, note));
  sources.weightless = options.checkpoint.empty() && options.weights.empty();
  const max78::Loading loading = max78::load_network(sources, max78::SampleNeed::size_only);
  std::vector<Finding> findings = loading.findings;
  if (note) findings.push_back(*note);
  Json network = Json::object();
  network.set("operators", Json::array()).set("tensors", Json::array());
  if (loading.failure) {
    Finding f = finding_of(Severity::error, loading.failure->message);
    f.id = std::string(loading.failure->id());
    f.hint = "Choose the checkpoint and the sample that belong to it, or the size of its input.";
    findings.push_back(std::move(f));
  } else if (loading.network != nullptr && loading.network->planning.hardware != nullptr) {
    add_layers(loading.network->planning, network);
  }
  if (loading.stands_in) {
    findings.push_back(finding_of(Severity::note,
                                  "no parameters were chosen: pseudo-random ones stand in, and "
                                  "nothing can be computed"));
  }
  for (const std::string& text : loading.assumed) {
    findings.push_back(finding_of(Severity::note, "assumed: " + text));
  }
  Json list = Json::array();
  for (const Finding& f : findings) list.push(explained(f));
  network.set("target", options.target).set("fits", loading.ok());
  return network.set("findings", std::move(list));
}

Result<Json> max78_program(const OpenedFile& file) {
  EDGETWIN_TRY_ASSIGN(const max78::ProgramText program,
                      max78::read_program(as_text(ByteSpan(file.data)), file.name));
  const max78::ProgramSummary s = max78::summarize(program);
  Json parts = Json::array(), registers = Json::array();
  for (const max78::PartSummary& p : s.parts) {
    Json row = Json::object();
    parts.push(row.set("name", p.name).set("accesses", p.accesses).set("words", p.words));
  }
  for (const max78::RegisterValue& r : s.registers) {
    Json fields = Json::array();
    for (const max78::FieldValue& f : r.fields) {
      Json row = Json::object();
      fields.push(row.set("name", f.name).set("meaning", f.meaning).set("value", f.value));
    }
    Json row = Json::object();
    row.set("layer", r.layer).set("groups", r.groups).set("name", r.name);
    row.set("meaning", r.meaning).set("value", r.value);
    registers.push(row.set("fields", std::move(fields)));
  }
  Json j = Json::object();
  j.set("device", max78::name(s.device)).set("parts", std::move(parts));
  j.set("registers", std::move(registers)).set("kernel_columns", s.kernel_columns);
  j.set("bias_bytes", s.bias_bytes).set("data_words", s.data_words);
  return j.set("first_layer", s.first_layer).set("last_layer", s.last_layer);
}

}  // namespace edgetwin::serve
