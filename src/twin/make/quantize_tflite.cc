// Float networks to full-integer int8 for TensorFlow Lite and the Edge TPU's compiler.
#include <cmath>
#include <map>

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

// Power of signal and noise of one tensor over all samples.
struct TensorPower {
  size_t op = 0;
  ValueId real = kAbsent, integers = kAbsent;
  double signal = 0.0, noise = 0.0, other = 0.0, product = 0.0;

  double ratio() const { return signal > 0.0 ? noise / signal : (noise > 0.0 ? INFINITY : 0.0); }
  double cosine() const {
    return signal > 0.0 && other > 0.0 ? product / std::sqrt(signal * other) : 1.0;
  }
  void add(const Tensor& wanted, const Tensor& got) {
    const bool quantized = got.quant.present() && got.dtype != DType::float32;
    for (int64_t i = 0; i < wanted.shape.elements(); ++i) {
      const double f = element_as_double(wanted.dtype, wanted.data, i);
      double q = element_as_double(got.dtype, got.data, i);
      if (quantized) {
        q = (q - static_cast<double>(got.quant.zero_point_of(0))) *
            static_cast<double>(got.quant.scale_of(0));
      }
      signal += f * f;
      noise += (f - q) * (f - q);
      other += q * q;
      product += f * q;
    }
  }
};

// Tensors that both networks have: the outputs of operators, found by name.
std::vector<TensorPower> common_tensors(const Graph& real, const Graph& integers) {
  std::map<std::string_view, ValueId> by_name;
  for (const Op& op : real.ops) {
    for (const ValueId id : op.outputs) by_name.emplace(real.value(id).name, id);
  }
  std::vector<TensorPower> all;
  for (size_t i = 0; i < integers.ops.size(); ++i) {
    if (integers.ops[i].outputs.empty()) continue;
    const ValueId id = integers.ops[i].outputs[0];
    const auto found = by_name.find(integers.value(id).name);
    if (found == by_name.end()) continue;
    if (real.value(found->second).shape != integers.value(id).shape) continue;
    TensorPower p;
    p.op = i;
    p.real = found->second;
    p.integers = id;
    all.push_back(p);
  }
  return all;
}

// Noise of the integers in the numerics of the target, accumulated from the input on.
Result<quantize::Analysis> noise_of(const Graph& form, const Graph& made,
                                    const std::vector<Sample>& samples, const QuantizeRun& run) {
  exec::Options options;
  options.keep_all = true;
  options.threads = run.options.threads;
  options.numerics = "tflite";
  EDGETWIN_TRY_ASSIGN(auto real,
                      exec::Session::create(std::make_shared<const Graph>(form), options));
  options.numerics = run.options.target;
  EDGETWIN_TRY_ASSIGN(auto chip,
                      exec::Session::create(std::make_shared<const Graph>(made), options));
  std::vector<TensorPower> layers = common_tensors(form, made);
  TensorPower outputs;
  for (const Sample& sample : samples) {
    for (size_t i = 0; i < sample.size(); ++i) {
      const Value& input = made.value(made.inputs[i]);
      EDGETWIN_TRY(real.set_input(i, sample[i].data));
      EDGETWIN_TRY_ASSIGN(const Tensor given,
                          exec::convert_input(sample[i], input, Shape(input.shape)));
      EDGETWIN_TRY(chip.set_input(i, given.data));
    }
    EDGETWIN_TRY(real.run());
    EDGETWIN_TRY(chip.run());
    for (TensorPower& l : layers) l.add(real.tensor(l.real), chip.tensor(l.integers));
    for (size_t i = 0; i < made.outputs.size(); ++i) outputs.add(real.output(i), chip.output(i));
  }
  quantize::Analysis a;
  a.output_noise = outputs.ratio();
  a.output_cosine = outputs.cosine();
  for (const TensorPower& l : layers) {
    quantize::LayerNoise n;
    n.layer = op_label(made, l.op);
    n.name = made.ops[l.op].name;
    n.tensor = made.value(l.integers).name;
    n.bits = bits(made.value(l.integers).dtype);
    n.accumulated = l.ratio();
    n.cosine = l.cosine();
    a.layers.push_back(std::move(n));
  }
  return a;
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
  if (o.analyse) {
    EDGETWIN_TRY_ASSIGN(result.analysis, noise_of(form, q.model.main(), samples, run));
  }
  for (size_t i = 0; i < floats.size(); ++i) {
    const Tensor r = integers[i].quant.present() ? real(integers[i]) : integers[i];
    result.outputs.push_back({floats[i].name, verify::compare(floats[i], r, 0.0)});
  }
  return result;
}

}  // namespace edgetwin::twin
