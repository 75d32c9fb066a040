#include "twin/make/lut_demo.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exec/session.h"
#include "formats/espdl/document/numerics_name.h"
#include "formats/onnx/import/onnx.h"
#include "formats/onnx/write/write.h"
#include "lut/header.h"
#include "lut/of_model.h"
#include "lut/pictures.h"
#include "quantize/espdl/quantize.h"
#include "report/json.h"
#include "targets/espdl/export/export.h"
#include "targets/espdl/firmware/lut_model.h"
#include "targets/target.h"
#include "tensor/npy.h"
#include "twin/espdl_choice.h"

namespace edgetwin::twin {
namespace {

using targets::espdl::FirmwareCase;

constexpr int64_t kElements = 1024;  // of one run of the network
constexpr int64_t kInputs = 65536;
constexpr float kReach = 8.0F;  // calibrated over -8 to 8

constexpr std::string_view kFunctions[] = {"swish",     "sigmoid",     "tanh", "relu",
                                           "hardswish", "hardsigmoid", "elu",  "leaky_relu",
                                           "exp",       "gelu"};

struct Way {
  const LutDemoOptions& options;
  int runtime = 0;
  LutDemo demo;
  report::Json mapping;

  void put(std::string path, Bytes bytes) {
    demo.files.push_back({std::move(path), std::move(bytes)});
  }
  void put(std::string path, const std::string& text) {
    put(std::move(path), to_bytes(std::as_bytes(std::span(text))));
  }
};

onnx::ValueInfo value_info(const std::string& name) {
  return {name, DType::float32, true, {{1, ""}, {kElements, ""}}};
}

onnx::Node node(size_t index, std::string type, std::vector<std::string> inputs,
                std::string output) {
  onnx::Node n;
  n.index = index;
  n.name = index == 0 ? "activation" : "product";
  n.op_type = std::move(type);
  n.inputs = std::move(inputs);
  n.outputs = {std::move(output)};
  return n;
}

// One activation between `x` and `y`. Swish is written as exporters write it, x * sigmoid(x).
Result<Bytes> network_file(lut::Function function) {
  onnx::Document d;
  d.ir_version = 9;
  d.opset = 20;
  d.producer = "edgetwin";
  d.graph_name = lut::info(function).name;
  d.inputs = {value_info("x")};
  d.outputs = {value_info("y")};
  if (function == lut::Function::swish) {
    d.nodes = {node(0, "Sigmoid", {"x"}, "s"), node(1, "Mul", {"x", "s"}, "y")};
  } else {
    d.nodes = {node(0, std::string(lut::info(function).op_type), {"x"}, "y")};
  }
  return onnx::write_document(d);
}

// All of -8 to 8 in even steps.
Result<quantize::Sample> ramp(const Value& input) {
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(input.dtype, input.shape));
  t.name = input.name;
  const auto values = t.as<float>();
  const auto last = static_cast<float>(values.size() - 1);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = -kReach + 2 * kReach * static_cast<float>(i) / last;
  }
  return quantize::Sample{std::move(t)};
}

Result<quantize::Quantized> quantized(const Graph& graph, espdl::Target target, const Way& way) {
  EDGETWIN_TRY_ASSIGN(const auto sample, ramp(graph.value(graph.inputs[0])));
  quantize::Settings s;
  s.target = target;
  s.bits = 16;
  s.method = quantize::Method::minmax;
  s.steps = 1;
  s.runtime = way.runtime;
  s.lut.step = way.options.step;
  for (const Op& op : graph.ops) s.lut.to_lut.push_back(op.type);
  return quantize::quantize_espdl(graph, {sample}, s);
}

// The exported network over all inputs, lowest first.
Result<std::vector<int16_t>> run_over_all(const Graph& graph, espdl::Target target, int runtime) {
  exec::Options how;
  how.numerics = espdl::numerics_of(target);
  how.runtime = runtime;
  EDGETWIN_TRY_ASSIGN(exec::Session session,
                      exec::Session::create(std::make_shared<const Graph>(graph), how));
  std::vector<int16_t> all;
  std::vector<int16_t> inputs(static_cast<size_t>(kElements));
  for (int64_t from = 0; from < kInputs; from += kElements) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = static_cast<int16_t>(from - 32768 + static_cast<int64_t>(i));
    }
    EDGETWIN_TRY(session.set_input(0, std::as_bytes(std::span(inputs))));
    EDGETWIN_TRY(session.run());
    const ByteSpan out = session.bytes(graph.outputs[0]);
    const size_t before = all.size();
    all.resize(before + out.size() / sizeof(int16_t));
    std::memcpy(all.data() + before, out.data(), out.size());
  }
  return all;
}

Result<Bytes> npy_of(const std::vector<int16_t>& outputs) {
  EDGETWIN_TRY_ASSIGN(Tensor t,
                      Tensor::zeros(DType::int16, Shape{static_cast<int64_t>(outputs.size())}));
  std::copy(outputs.begin(), outputs.end(), t.as<int16_t>().begin());
  return write_npy(t);
}

Status put_table(const std::string& folder, const std::string& layer, int number,
                 const lut::ModelTable& t, const LutDemoCase& c, Way& way) {
  const lut::Report& r = c.report;
  EDGETWIN_TRY_ASSIGN(Bytes table, write_npy(t.table));
  way.put(folder + "table.npy", std::move(table));
  EDGETWIN_TRY_ASSIGN(Bytes interpolated, npy_of(r.interpolate.outputs));
  way.put(folder + "interp.npy", std::move(interpolated));
  EDGETWIN_TRY_ASSIGN(Bytes nearest, npy_of(r.nearest.outputs));
  way.put(folder + "nearest.npy", std::move(nearest));
  EDGETWIN_TRY_ASSIGN(Bytes parity, lut::parity_picture(layer, r, t.table));
  way.put(folder + "parity.png", std::move(parity));
  EDGETWIN_TRY_ASSIGN(Bytes sweep, lut::sweep_picture(layer, r));
  way.put(folder + "sweep.png", std::move(sweep));
  const lut::RuleReport& rule = c.interpolates ? r.interpolate : r.nearest;
  way.put(folder + "test.h", lut::integer_header(number, layer, r, rule, t.table));
  report::Json entry = report::Json::object();
  entry.set("layer_name", layer).set("original_type", t.original_type);
  entry.set("parity_plot", folder + "parity.png").set("sweep_plot", folder + "sweep.png");
  entry.set("c_header", folder + "test.h").set("model", folder + "net.espdl");
  way.mapping.set(c.target + "/" + c.function, std::move(entry));
  return Ok{};
}

Result<FirmwareCase> firmware_case(const lut::ModelTable& t, const LutDemoCase& c) {
  targets::espdl::LutModel model;
  model.table = t.table;
  model.input_exponent = t.spec.in_exponent;
  model.output_exponent = t.spec.out_exponent;
  model.target = c.target;
  model.original_type = t.original_type;
  const auto& outputs = c.interpolates ? c.report.interpolate.outputs : c.report.nearest.outputs;
  EDGETWIN_TRY_ASSIGN(Tensor results, Tensor::zeros(DType::int16, Shape{kInputs}));
  std::copy(outputs.begin(), outputs.end(), results.as<int16_t>().begin());
  results.quant = t.table.quant;
  return targets::espdl::make_sweep_case(c.function, model, results);
}

int64_t differences(const std::vector<int16_t>& a, const std::vector<int16_t>& b) {
  int64_t count = static_cast<int64_t>(std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

Result<FirmwareCase> add_case(const Graph& network, lut::Function function, espdl::Target target,
                              Way& way) {
  LutDemoCase c;
  c.target = espdl::name(target);
  c.function = lut::info(function).name;
  EDGETWIN_TRY_ASSIGN(const quantize::Quantized q, quantized(network, target, way));
  targets::espdl::ExportSettings how;
  how.target = target;
  how.runtime = way.runtime;
  how.form.tables = q.tables;
  EDGETWIN_TRY_ASSIGN(targets::espdl::Exported files,
                      targets::espdl::export_model(q.graph, {}, how));
  EDGETWIN_TRY_ASSIGN(const lut::ModelTables tables,
                      lut::tables_of(files.document, quantize::rounding_of(target)));
  if (tables.tables.size() != 1 || !tables.tables[0].known_function) {
    return Error(ErrorCode::internal, "the network of " + c.function + " has " +
                                          std::to_string(tables.tables.size()) +
                                          " tables of a known function, 1 is expected");
  }
  const lut::ModelTable& t = tables.tables[0];
  EDGETWIN_TRY_ASSIGN(c.report, lut::examine(t.spec, t.table, t.declared_step));
  c.interpolates = numerics::lut_rule_of_runtime(way.runtime) == lut::LutRule::interpolate;
  EDGETWIN_TRY_ASSIGN(const auto all, run_over_all(q.graph, target, way.runtime));
  c.differing =
      differences(all, c.interpolates ? c.report.interpolate.outputs : c.report.nearest.outputs);
  const std::string folder = c.target + "/" + c.function + "/";
  way.put(folder + "net.espdl", std::move(files.file));
  way.put(folder + "net.info", files.info);
  way.put(folder + "net.json", files.config);
  const int number = static_cast<int>(way.demo.cases.size()) + 1;
  EDGETWIN_TRY(put_table(folder, c.function + ", " + c.target, number, t, c, way));
  EDGETWIN_TRY_ASSIGN(FirmwareCase made, firmware_case(t, c));
  way.demo.cases.push_back(std::move(c));
  return made;
}

Status add_firmware(espdl::Target target, const std::vector<FirmwareCase>& cases, Way& way) {
  targets::espdl::FirmwareOptions options;
  options.target = espdl::name(target);
  options.esp_dl_version = way.options.runtime;
  EDGETWIN_TRY_ASSIGN(auto files, targets::espdl::make_firmware(options, cases));
  for (auto& [path, bytes] : files) {
    way.put(options.target + "/firmware/" + path, std::move(bytes));
  }
  return Ok{};
}

Result<std::vector<lut::Function>> functions_of(const LutDemoOptions& o) {
  std::vector<lut::Function> functions;
  std::vector<std::string> words = o.functions;
  if (words.empty()) words.assign(std::begin(kFunctions), std::end(kFunctions));
  for (const std::string& word : words) {
    const auto function = lut::function_from_name(word);
    const auto* found = std::end(kFunctions);
    if (function) {
      found = std::find(std::begin(kFunctions), std::end(kFunctions), lut::info(*function).name);
    }
    if (found == std::end(kFunctions)) {
      std::string known;
      for (const std::string_view f : kFunctions)
        known += (known.empty() ? "" : ", ") + std::string(f);
      return Error(ErrorCode::usage, "no network is made for '" + word + "'")
          .with_hint("Known are " + known + "; `lut build` makes tables of all functions.");
    }
    if (std::find(functions.begin(), functions.end(), *function) == functions.end()) {
      functions.push_back(*function);
    }
  }
  return functions;
}

Result<std::vector<espdl::Target>> targets_of(const LutDemoOptions& o) {
  std::vector<espdl::Target> targets;
  if (o.targets.empty()) return std::vector{espdl::Target::esp32s3, espdl::Target::esp32p4};
  for (const std::string& word : o.targets) {
    EDGETWIN_TRY_ASSIGN(const espdl::Target target, named_target(word));
    if (target == espdl::Target::c) {
      return Error(ErrorCode::usage, "look-ups of 16 bits are for chips with a vector unit");
    }
    if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
      targets.push_back(target);
    }
  }
  return targets;
}

}  // namespace

const std::vector<std::string_view>& lut_demo_functions() {
  static const std::vector<std::string_view> kAll(std::begin(kFunctions), std::end(kFunctions));
  return kAll;
}

Result<LutDemo> lut_demo(const LutDemoOptions& options) {
  EDGETWIN_TRY(lut::check_step(options.step));
  EDGETWIN_TRY_ASSIGN(const auto functions, functions_of(options));
  EDGETWIN_TRY_ASSIGN(const auto targets, targets_of(options));
  Way way{options, 0, {}, report::Json::object()};
  EDGETWIN_TRY_ASSIGN(way.runtime, runtime_version(options.runtime));
  std::vector<Graph> networks;
  for (const lut::Function f : functions) {
    const std::string name(lut::info(f).name);
    EDGETWIN_TRY_ASSIGN(Bytes file, network_file(f));
    onnx::ReadOptions how;
    how.passes.swish_of_anything = true;  // it comes after an input here
    EDGETWIN_TRY_ASSIGN(const Model model, onnx::read(file, name + ".onnx", how));
    networks.push_back(model.main());
    way.put(name + ".onnx", std::move(file));
  }
  for (const espdl::Target target : targets) {
    std::vector<FirmwareCase> cases;
    for (size_t i = 0; i < functions.size(); ++i) {
      EDGETWIN_TRY_ASSIGN(FirmwareCase c, add_case(networks[i], functions[i], target, way));
      cases.push_back(std::move(c));
      const auto done = static_cast<double>(way.demo.cases.size());
      const auto all = static_cast<double>(functions.size() * targets.size());
      if (options.progress) options.progress(done / all, way.demo.cases.back().function);
    }
    EDGETWIN_TRY(add_firmware(target, cases, way));
  }
  way.put("mapping.json", way.mapping.text());
  return std::move(way.demo);
}

}  // namespace edgetwin::twin
