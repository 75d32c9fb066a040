#include "twin/make/edgetpu_outlook.h"

#include <algorithm>

#include "quantize/tflite/quantize.h"
#include "targets/edgetpu/compile/outlook/outlook.h"
#include "transform/tflite_form/form.h"

namespace edgetwin::twin {
namespace {

namespace compiler = edgetpu::compiler;

// --- Integers that stand in for a float network

bool computes_in_floats(const Model& model) {
  if (model.format == "onnx") return true;
  const Graph& g = model.main();
  return model.format == "tflite" && std::ranges::none_of(g.values, [](const Value& v) {
           return v.dtype == DType::int8 || v.dtype == DType::uint8;
         });
}

quantize::Sample noise_for(const Graph& graph) {
  quantize::Sample sample;
  uint32_t state = 1;
  for (const ValueId id : graph.inputs) {
    const Value& v = graph.value(id);
    Tensor t;
    t.name = v.name;
    t.dtype = DType::float32;
    t.shape = v.shape;
    t.data.resize(static_cast<size_t>(v.shape.elements()) * sizeof(float));
    for (float& x : t.as<float>()) {
      state ^= state << 13U;
      state ^= state >> 17U;
      state ^= state << 5U;
      x = static_cast<float>(state) / 2147483648.0F - 1.0F;
    }
    sample.push_back(std::move(t));
  }
  return sample;
}

Result<Model> stand_in(const Model& model) {
  Graph form = model.main();
  std::vector<quantize::Sample> samples = {noise_for(form)};
  if (form.layout == Layout::nchw) {
    samples = quantize::to_tflite_samples(model.main(), std::move(samples));
    EDGETWIN_TRY_ASSIGN(form, transform::to_tflite_form(model.main()));
  }
  EDGETWIN_TRY_ASSIGN(quantize::TfliteQuantized q, quantize::quantize_tflite(form, samples, {}));
  return std::move(q.model);
}

// --- What the compiler says

EdgetpuOutlook::Part part_of(const Graph& graph, const compiler::Partition& partition, size_t g) {
  const compiler::CompiledGroup& group = partition.groups[g];
  EdgetpuOutlook::Part p;
  p.operators = group.segment.ops.size();
  p.first = op_label(graph, group.segment.ops.front());
  p.last = op_label(graph, group.segment.ops.back());
  const size_t behind = group.segment.ops.back() + 1;
  if (behind < graph.ops.size() && partition.ops[behind].refusal) {
    p.end = op_label(graph, behind);
    p.end_rule = info(partition.ops[behind].refusal->rule).id;
  }
  p.cached_bytes = static_cast<int64_t>(group.compiled.parameters.size());
  p.streamed_bytes = group.compiled.streamed_bytes;
  p.resident_lines = group.compiled.resident_lines;
  p.resident_room = group.compiled.resident_room;
  p.narrow_bytes = group.compiled.narrow_bytes;
  return p;
}

void add_layers(const Graph& graph, const compiler::Partition& partition, EdgetpuOutlook& o) {
  std::vector<compiler::MemoryBar> bars;
  for (size_t g = 0; g < partition.groups.size(); ++g) {
    for (const compiler::PlannedOp& p : partition.groups[g].compiled.ops) {
      o.layers.push_back({g, op_label(graph, p.op), p.narrow_bytes, p.live_bytes});
      bars.push_back({o.layers.back().label, p.narrow_bytes, p.live_bytes});
    }
  }
  if (bars.empty()) return;
  auto picture = plot::to_png(compiler::memory_picture(bars));
  if (picture.ok()) o.picture = std::move(*picture);
}

void add_causes(const Graph& graph, const compiler::Partition& partition, EdgetpuOutlook& o) {
  for (const compiler::Cause& c : compiler::causes_of(graph, partition)) {
    if (c.ops.empty()) continue;
    EdgetpuOutlook::Cause cause;
    cause.rule = info(c.rule).id;
    cause.kind = op_type_name(graph.ops[c.ops.front()]);
    cause.first = op_label(graph, c.ops.front());
    cause.why = partition.ops[c.ops.front()].refusal->message;
    cause.operators = c.ops.size();
    cause.products = c.products;
    cause.elements = c.elements;
    cause.transferred = c.transferred;
    cause.microseconds = c.microseconds;
    o.causes.push_back(std::move(cause));
  }
}

OutlookWithFindings outlook_of(const Graph& graph) {
  const compiler::Partition partition = compiler::partition_of(graph);
  OutlookWithFindings made;
  made.operators = placed(graph, partition);
  EdgetpuOutlook& o = made.outlook;
  o.operators = partition.ops.size();
  for (const compiler::Assignment& a : partition.ops) {
    if (a.group >= 0) {
      ++o.on_chip;
    } else if (a.refusal) {
      made.findings.push_back(
          finding_of(info(a.refusal->rule), op_label(graph, a.op), a.refusal->message));
    }
  }
  for (size_t g = 0; g < partition.groups.size(); ++g) {
    o.parts.push_back(part_of(graph, partition, g));
  }
  add_layers(graph, partition, o);
  add_causes(graph, partition, o);
  if (const auto l = compiler::largest_input(graph, partition)) {
    o.largest = {l->rows, l->columns, l->most_rows, l->most_columns, l->limit};
  }
  return made;
}

}  // namespace

std::vector<PlacedOperator> placed(const Graph& graph, const compiler::Partition& partition) {
  std::vector<PlacedOperator> all;
  for (const compiler::Assignment& a : partition.ops) {
    PlacedOperator p;
    p.op = a.op;
    p.kind = op_type_name(graph.ops[a.op]);
    p.label = op_label(graph, a.op);
    p.group = a.group;
    if (a.group < 0 && a.refusal) {
      p.rule = info(a.refusal->rule).id;
      p.why = a.refusal->message;
    }
    all.push_back(std::move(p));
  }
  return all;
}

Result<OutlookWithFindings> edgetpu_outlook(ByteSpan network, const std::string& name,
                                            const OpenOptions& options) {
  LoadOptions how;
  how.shapes = options.shapes;
  EDGETWIN_TRY_ASSIGN(const LoadedModel loaded, load_model(network, name, how));
  if (!computes_in_floats(*loaded.model)) {
    EDGETWIN_TRY_ASSIGN(const LoadedModel bytes, load_for_edgetpu(network, name));
    return outlook_of(bytes.model->main());
  }
  auto integers = stand_in(*loaded.model);
  if (!integers.ok()) return std::move(integers).error().in_file(name);
  OutlookWithFindings made = outlook_of(integers->main());
  Finding f;
  f.severity = Severity::note;
  f.id = std::string(info(compiler::Rule::data_type).id);
  f.place = name;
  f.message = "the network computes with floats: integers stand in whose ranges are noise's";
  f.hint = "`edgetwin quantize --target edgetpu --calibrate SAMPLES` makes the network to compile.";
  made.findings.push_back(std::move(f));
  return made;
}

}  // namespace edgetwin::twin
