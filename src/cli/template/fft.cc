#include "cli/template/fft.h"

#include "cli/shared/exit_codes.h"
#include "formats/tflite/tflite.h"
#include "report/format.h"
#include "signals/fft/network.h"
#include "signals/fft/theory.h"
#include "signals/measure/espdl.h"
#include "signals/measure/measure.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Result<signals::FftOptions> options_of(const FftTemplateArguments& a) {
  signals::FftOptions o;
  o.size = a.size;
  o.batch = a.batch;
  o.form = *signals::fft_form(a.form);
  o.scaling = *signals::fft_scaling(a.scaling);
  o.number = *signals::fft_number(a.number);
  o.flat = a.flat;
  auto good = signals::check(o);
  if (!good.ok()) return std::move(good.error()).in_field("--" + good.error().place.field);
  if (o.number == signals::FftNumber::float32 && o.scaling != signals::FftScaling::worst) {
    return Error(ErrorCode::usage, "--scaling changes nothing in float32")
        .with_hint("Leave --scaling out, or choose --number int8 or int16.");
  }
  return o;
}

Result<signals::FftReach> reach_of(const signals::FftOptions& o) {
  if (o.scaling != signals::FftScaling::calibrated) return signals::fft_reach(o);
  return signals::calibrated_reach(o, signals::calibration_noise(static_cast<size_t>(o.size)));
}

bool is_onnx(const std::string& path) { return path.ends_with(".onnx"); }

Result<Bytes> file_of(const FftTemplateArguments& a, const signals::FftOptions& o,
                      const Model& model) {
  if (!is_onnx(a.output.path)) return tflite::write(model);
  if (o.number != signals::FftNumber::float32) {
    return Error(ErrorCode::usage,
                 "an .onnx file holds the transform in float32; this one is " + a.number)
        .with_hint("Add --number float32, or name a .tflite file.");
  }
  return signals::onnx_fft(o);
}

Json metadata_of(const FftTemplateArguments& a, const Model& model) {
  const Graph& g = model.main();
  const auto scale = [&g](ValueId id) {
    return static_cast<double>(g.value(id).quant.scale_of(0));
  };
  Json json = Json::object();
  json.set("kind", "fft").set("size", a.size).set("batch", a.batch);
  json.set("form", a.form).set("number", a.number);
  if (a.flat) json.set("flat", true);
  json.set("input_order", signals::name(signals::input_order(*signals::fft_form(a.form))));
  if (a.number == "float32") return json;
  json.set("scaling", a.scaling);
  return std::move(
      json.set("input_scale", scale(g.inputs[0])).set("output_scale", scale(g.outputs[0])));
}

// The float form against the plain sum, the integers against what theory lets one expect.
Result<bool> verify(const signals::FftOptions& o, const signals::FftReach& reach,
                    const Model& model, Console& console) {
  const auto order = signals::input_order(o.form);
  const auto samples = signals::test_noise(static_cast<size_t>(4 * o.batch * o.size), 7);
  signals::FftOptions real = o;
  real.number = signals::FftNumber::float32;
  EDGETWIN_TRY_ASSIGN(const Model float_model, signals::fft_network(real, reach));
  const auto measured = [&](const Model& m, const std::string& numerics) {
    return signals::measure_fft(std::make_shared<const Graph>(m.main()), order, samples, numerics);
  };
  EDGETWIN_TRY_ASSIGN(const auto exact, measured(float_model, "tflite"));
  const bool good = exact.snr >= signals::kLeastFloatSnr;
  Json rows = Json::object();
  rows.set("float32", exact.snr);
  console.print(std::string(good ? "good" : "bad") + ": the float form is " +
                report::fixed_text(exact.snr, 1) +
                " dB from a plain DFT in double precision, at least " +
                report::fixed_text(signals::kLeastFloatSnr, 0) + " dB are asked for\n");
  if (o.number != signals::FftNumber::float32) {
    const double expected = signals::expected_snr(o, reach, signals::kNoiseLevel);
    console.print(std::string(signals::name(o.number)) + ", noise of 1/4: theory " +
                  report::fixed_text(expected, 1) + " dB\n");
    rows.set("theory", expected);
    for (const char* numerics : {"tflite", "edgetpu"}) {
      if (o.number == signals::FftNumber::int16 && numerics[0] == 'e') continue;
      EDGETWIN_TRY_ASSIGN(const auto quality, measured(model, numerics));
      console.print("  " + std::string(numerics) + ": " + report::fixed_text(quality.snr, 1) +
                    " dB\n");
      rows.set(numerics, quality.snr);
    }
  }
  console.json().set("signal_to_noise_db", std::move(rows)).set("good", good);
  return good;
}

// Runs of the float network, one after the other along the first axis.
Result<Bytes> calibration_npy(signals::FftOptions o) {
  o.number = signals::FftNumber::float32;
  EDGETWIN_TRY_ASSIGN(const Model model, signals::fft_network(o, signals::fft_reach(o)));
  const auto noise = signals::calibration_noise(static_cast<size_t>(o.size));
  EDGETWIN_TRY_ASSIGN(const auto runs,
                      signals::packed_runs(model.main(), signals::input_order(o.form), noise));
  Shape shape = runs.front().shape;
  shape[0] *= static_cast<int64_t>(runs.size());
  EDGETWIN_TRY_ASSIGN(Tensor all, Tensor::zeros(DType::float32, shape));
  const auto numbers = all.as<float>();
  size_t at = 0;
  for (const Tensor& run : runs) {
    for (const float v : run.as<float>()) numbers[at++] = v;
  }
  return write_npy(all);
}

}  // namespace

Result<int> execute(const FftTemplateArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.metadata.check());
  EDGETWIN_TRY(a.calibration.check());
  EDGETWIN_TRY_ASSIGN(const signals::FftOptions o, options_of(a));
  EDGETWIN_TRY_ASSIGN(const signals::FftReach reach, reach_of(o));
  EDGETWIN_TRY_ASSIGN(const Model model, signals::fft_network(o, reach));
  EDGETWIN_TRY_ASSIGN(const Bytes file, file_of(a, o, model));
  const Json metadata = metadata_of(a, model);
  EDGETWIN_TRY(a.output.write(ByteSpan(file)));
  if (!a.metadata.empty()) EDGETWIN_TRY(a.metadata.write(metadata.text()));
  if (!a.calibration.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes runs, calibration_npy(o));
    EDGETWIN_TRY(a.calibration.write(ByteSpan(runs)));
  }
  const signals::FftCost cost = signals::fft_cost(o);
  console.print(a.output.path + ": " + report::bytes_text(static_cast<int64_t>(file.size())) +
                ", " + std::to_string(cost.operators) + " operators, " +
                report::count_text(cost.multiplications) + " multiplications\n");
  console.json().set("output", a.output.path).set("metadata", metadata);
  console.json().set("operators", cost.operators).set("multiplications", cost.multiplications);
  console.json().set("additions", cost.additions).set("parameters", cost.parameters);
  if (!a.verify) return kYes;
  EDGETWIN_TRY_ASSIGN(const bool good, verify(o, reach, model, console));
  return good ? kYes : kNo;
}

void declare(OptionSet& options, FftTemplateArguments& a) {
  options.number("--size", a.size, "N", "Samples of a transform: a power of two, 8 to 4096")
      .required();
  options.number("--batch", a.batch, "N", "Transforms of one run, 1 to 256; 1 without it");
  options.text("--form", a.form, "WORD", "butterfly or matrix; butterfly without it")
      .choices({"butterfly", "matrix"});
  options
      .text(
          "--scaling", a.scaling, "WORD",
          "How far the numbers of each stage reach: worst, noise or\ncalibrated; worst without it")
      .choices({"worst", "noise", "calibrated"});
  options.text("--number", a.number, "WORD", "int8, int16 or float32; int8 without it")
      .choices({"int8", "int16", "float32"});
  options.flag("--flat", a.flat,
               "Of the matrix: input and output are rows of 2N numbers, as the\nMAX78000 and "
               "MAX78002 take them");
  options.flag("--verify", a.verify,
               "Compute it on the twin and compare with a plain transform\nin double precision");
  options.file("-o,--output", a.output, "The model: .tflite, or .onnx in float32").required();
  options.file("--metadata", a.metadata, "What stands beside the model, as JSON");
  options.file("--calibration", a.calibration,
               "Noise in the model's own order of samples, .npy, a run per row:\nwhat `quantize "
               "--calibrate` takes");
  options.force("Overwrite existing files");
}

Verb verb_template_fft() {
  return {.name = "fft",
          .group = "",
          .summary = "The Fourier transform of complex samples",
          .example =
              "edgetwin template fft --size 256 --scaling noise --verify -o fft.tflite "
              "--metadata fft.json",
          .declare = declaration_of<FftTemplateArguments>()};
}

}  // namespace edgetwin::cli
