// Float networks to full-integer int8 for TensorFlow Lite and the Edge TPU's compiler.
#include "base/file.h"
#include "exec/input.h"
#include "exec/session.h"
#include "formats/tflite/tflite.h"
#include "quantize/calibration/samples.h"
#include "quantize/tflite/quantize.h"
#include "transform/tflite_form/form.h"
#include "twin/load.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::twin {
namespace {

using quantize::Sample;

Result<std::vector<Tensor>> computed(const Graph& graph, const Sample& sample, bool integers) {
  exec::Options options;
  options.numerics = "tflite";
  EDGETWIN_TRY_ASSIGN(auto session,
                      exec::Session::create(std::make_shared<const Graph>(graph), options));
  for (size_t i = 0; i < sample.size(); ++i) {
    const Value& input = graph.value(graph.inputs[i]);
    Tensor given = sample[i];
    if (integers) {
      EDGETWIN_TRY_ASSIGN(given, exec::convert_input(sample[i], input, Shape(input.shape)));
    }
    EDGETWIN_TRY(session.set_input(i, given.data));
  }
  EDGETWIN_TRY(session.run());
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < graph.outputs.size(); ++i) outputs.push_back(session.output(i));
  return outputs;
}

// The integers as the numbers that they stand for.
Tensor real(const Tensor& t) {
  Tensor r = t;
  r.dtype = DType::float32;
  r.quant = {};
  r.data.assign(static_cast<size_t>(t.shape.elements()) * sizeof(float), std::byte{0});
  for (int64_t i = 0; i < t.shape.elements(); ++i) {
    const double q = element_as_double(t.dtype, t.data, i);
    r.as<float>()[static_cast<size_t>(i)] = static_cast<float>(
        (q - static_cast<double>(t.quant.zero_point_of(0))) * t.quant.scale_of(0));
  }
  return r;
}

// The written bytes, opened again, must compute what the graph computes.
Status check_again(ByteSpan file, const Sample& sample, const std::vector<Tensor>& outputs) {
  EDGETWIN_TRY_ASSIGN(const Model read, tflite::read(file, "the new file"));
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> again, computed(read.main(), sample, true));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (again[i].data == outputs[i].data && again[i].quant == outputs[i].quant) continue;
    return Error(ErrorCode::internal, "the file computes another '" + outputs[i].name +
                                          "' than the network it was made of");
  }
  return Ok{};
}

// An ONNX network, or a .tflite file whose activations and weights are all float32.
Status check_float(const Model& model, const std::string& file) {
  if (model.format == "onnx") return Ok{};
  if (model.format != "tflite") {
    return Error(ErrorCode::usage, "'" + file + "' is neither .onnx nor a float .tflite");
  }
  const Graph& g = model.main();
  for (size_t i = 0; i < g.ops.size(); ++i) {
    for (const ValueId out : g.ops[i].outputs) {
      if (g.value(out).dtype == DType::float32) continue;
      return Error(ErrorCode::quant_operator, "'" + g.value(out).name + "' is " +
                                                  std::string(name(g.value(out).dtype)) +
                                                  "; only float networks are quantized")
          .in_file(file)
          .in_layer(op_label(g, i))
          .with_hint("Give the float model that this one was made of.");
    }
  }
  return Ok{};
}

}  // namespace

Result<TfliteQuantization> quantize_for_tflite(const QuantizeRun& run) {
  const QuantizeOptions& o = run.options;
  LoadOptions options;
  options.shapes = o.shapes;
  EDGETWIN_TRY_ASSIGN(const LoadedModel loaded, load_model(run.file, options));
  EDGETWIN_TRY(check_float(*loaded.model, run.file));
  for (const Finding& f : loaded.model->findings) run.noticed(f);
  const Graph& network = loaded.model->main();
  EDGETWIN_TRY_ASSIGN(auto samples, read_samples(run, network));
  Graph form = network;  // a float .tflite has the form already
  if (network.layout == Layout::nchw) {
    samples = quantize::to_tflite_samples(network, std::move(samples));
    EDGETWIN_TRY_ASSIGN(form, transform::to_tflite_form(network));
  }
  quantize::TfliteSettings settings;
  if (!o.method.empty()) {
    EDGETWIN_TRY_ASSIGN(settings.method, method_of(o.method));
  }
  settings.threads = o.threads;
  EDGETWIN_TRY_ASSIGN(const quantize::TfliteQuantized q,
                      quantize::quantize_tflite(form, samples, settings, run.progress));
  for (const Finding& f : q.findings) run.noticed(f);
  TfliteQuantization result;
  EDGETWIN_TRY_ASSIGN(result.file, tflite::write(q.model));
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> floats, computed(form, samples[0], false));
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> integers,
                      computed(q.model.main(), samples[0], true));
  EDGETWIN_TRY(check_again(result.file, samples[0], integers));
  result.samples = samples.size();
  result.operators = q.model.main().ops.size();
  for (size_t i = 0; i < floats.size(); ++i) {
    const Tensor r = integers[i].quant.present() ? real(integers[i]) : integers[i];
    result.outputs.push_back({floats[i].name, verify::compare(floats[i], r, 0.0)});
  }
  return result;
}

}  // namespace edgetwin::twin
