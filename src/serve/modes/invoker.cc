// SimpleInvoker: a model of the user's, its outputs decoded and drawn.
#include <algorithm>
#include <filesystem>

#include "decode/draw.h"
#include "decode/pose.h"
#include "decode/segmentation.h"
#include "edgetwin/decode.h"
#include "edgetwin/network.h"
#include "serve/modes/draw.h"
#include "serve/modes/makers.h"
#include "twin/decode/decode_text.h"
#include "twin/values.h"

namespace edgetwin::serve {
namespace {

constexpr double kShownScore = 0.3;
constexpr size_t kMostBoxes = 10;

class InvokerMode final : public Mode {
 public:
  InvokerMode(std::unique_ptr<Runner> runner, std::string decoder)
      : runner_(std::move(runner)), decoder_(std::move(decoder)) {}

  Status observe(Tensor& picture, const Mouse&, Json& values) override {
    if (runner_->inputs().size() != 1) {
      return Error(ErrorCode::module_model, "the model has " +
                                                std::to_string(runner_->inputs().size()) +
                                                " inputs; a picture fills one");
    }
    Inputs inputs;
    inputs.picture = picture;
    EDGETWIN_TRY_ASSIGN(Tensor input,
                        twin::picture_for(runner_->inputs()[0], picture, {}, Resize::nearest,
                                          twin::rounding_of(runner_->numerics())));
    inputs.tensors.push_back(std::move(input));
    EDGETWIN_TRY_ASSIGN(const Run run, runner_->run(inputs.tensors));
    values.set("where", runner_->description());
    if (decoder_ == "none") {
      Json shapes = Json::array();
      for (const Tensor& t : run.outputs) shapes.push(t.name + " " + to_string(t.shape));
      values.set("outputs", std::move(shapes));
      return Ok{};
    }
    DecodeOptions options;
    options.decoder = decoder_;
    EDGETWIN_TRY_ASSIGN(Decoded decoded, decode_outputs(run, *runner_, inputs, options));
    if (decoded.boxes.size() > kMostBoxes) decoded.boxes.resize(kMostBoxes);
    if (!decoded.segments) values.set(twin::member_of(decoded), twin::to_json(decoded));
    return draw(picture, decoded);
  }

 private:
  static Status draw(Tensor& picture, const Decoded& d) {
    if (d.segments) {
      EDGETWIN_TRY_ASSIGN(picture, decode::draw_classes(picture, d.segments->map));
    }
    if (d.meaning == Meaning::people) {
      EDGETWIN_TRY_ASSIGN(picture, decode::draw_people(picture, d.people, kShownScore));
    }
    if (d.meaning == Meaning::boxes) {
      EDGETWIN_TRY_ASSIGN(picture, decode::draw_detections(picture, d.boxes));
    }
    double y = 60;
    for (const std::string& line : twin::class_lines(d)) {
      ink_text(picture, {8, y}, line, kWhiteInk);
      y += 24;
    }
    return Ok{};
  }

  std::unique_ptr<Runner> runner_;
  std::string decoder_;
};

std::string file_part(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

Result<Run> zero_outputs(const Runner& runner) {
  Run run;
  for (const Port& p : runner.outputs()) {
    EDGETWIN_TRY_ASSIGN(Tensor zeros, Tensor::zeros(p.dtype, p.shape));
    zeros.name = p.name;
    zeros.quant = p.quant;
    run.outputs.push_back(std::move(zeros));
  }
  return run;
}

// Decoders inside of a file (PosenetDecoderOp) state no shapes: a run on zeros tells them.
Result<Run> typical_outputs(Runner& runner) {
  const auto stated = [](const Port& p) { return p.shape.rank() > 0; };
  if (std::all_of(runner.outputs().begin(), runner.outputs().end(), stated))
    return zero_outputs(runner);
  const Port& in = runner.inputs()[0];
  EDGETWIN_TRY_ASSIGN(Tensor input, Tensor::zeros(in.dtype, in.shape));
  input.quant = in.quant;
  return runner.run(std::span<const Tensor>(&input, 1));
}

// A decoder takes the forms of outputs that it knows: outputs of these forms tell.
bool takes(const std::string& decoder, Runner& runner) {
  if (runner.inputs().size() != 1) return false;
  const Result<Run> run = typical_outputs(runner);
  if (!run.ok()) return false;
  Inputs inputs;
  Result<Tensor> picture = Tensor::zeros(DType::uint8, {48, 64, 3});
  if (!picture.ok()) return false;
  inputs.picture = std::move(*picture);
  DecodeOptions options;
  options.decoder = decoder;
  return decode_outputs(*run, runner, inputs, options).ok();
}

// Those with the narrowest forms first.
constexpr const char* kUsual[] = {"ssd",     "posenet", "bodypix", "multipose",
                                  "movenet", "yolo26",  "deeplab"};

bool is_row_of_scores(const Runner& runner) {
  if (runner.outputs().size() != 1) return false;
  Tensor form;
  form.shape = runner.outputs()[0].shape;
  form.dtype = runner.outputs()[0].dtype;
  return is_classification(form);
}

// The decoder of outputs that can be told by their form; "none" where none takes them.
Result<std::string> usual_decoder(const std::string& file) {
  const EngineChoice twin;
  // Some compute only up to what their decoder takes: the error counts where no decoder fits.
  Result<std::unique_ptr<Runner>> plain = runner_of_file(file, twin, "");
  if (plain.ok() && is_row_of_scores(**plain)) return std::string("classify");
  for (const char* decoder : kUsual) {
    const Result<std::unique_ptr<Runner>> made = runner_of_file(file, twin, decoder);
    if (made.ok() && takes(decoder, **made)) return std::string(decoder);
  }
  if (!plain.ok()) return std::move(plain).error();
  return std::string("none");
}

}  // namespace

std::vector<Parameter> invoker_parameters(const std::vector<std::string>& models) {
  std::vector<Json> files, decoders = {"auto", "none"};
  for (const std::string& m : models) files.emplace_back(file_part(m));
  if (files.empty()) files.emplace_back("no model");
  for (const DecoderInfo& d : all_decoders()) decoders.emplace_back(d.name);
  const Json first = files.front();
  return {select("model", "Model", std::move(files), first),
          select("decoder", "Meaning of the outputs", std::move(decoders), "auto")};
}

Result<std::unique_ptr<Mode>> make_invoker(const ModeSetup& s) {
  const std::string wanted = s.values.text("model");
  for (const std::string& m : s.models) {
    if (file_part(m) != wanted) continue;
    std::string decoder = s.values.text("decoder");
    if (decoder == "auto") {
      EDGETWIN_TRY_ASSIGN(decoder, usual_decoder(m));
    }
    EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> runner,
                        runner_of_file(m, s.engine, decoder == "none" ? "" : decoder));
    return std::unique_ptr<Mode>(std::make_unique<InvokerMode>(std::move(runner), decoder));
  }
  return Error(ErrorCode::module_model, "there is no model to invoke")
      .with_hint("Name one: edgetwin serve MODEL.tflite");
}

}  // namespace edgetwin::serve
