#include "cli/run/vision.h"

#include "base/file.h"
#include "base/sha256.h"
#include "cli/run/outputs.h"
#include "cli/run/run_output.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/open_arguments.h"
#include "edgetwin/preprocess.h"
#include "edgetwin/vision.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Error of_vision(const std::string& option, const std::string& why) {
  return Error(ErrorCode::usage, option + " changes nothing with --decode espdl-…: " + why)
      .with_hint("Leave it out.");
}

Status refuse_for_vision(const RunArguments& a) {
  if (!a.trace.empty() || !a.report.empty() || a.repeat || a.as_quantized || !a.mode.empty()) {
    return of_vision("--trace, --report, --repeat, --as-quantized or --mode",
                     "they are of the network alone");
  }
  if (!a.device.device.empty() || !a.machine.empty() || !a.stream.source.empty()) {
    return of_vision("--device, --machine or --stream", "networks of ESP-DL run on the twin");
  }
  if (!a.compute.mean.empty() || !a.compute.std.empty()) {
    return of_vision("--mean or --std", "--params says how pictures are brought in");
  }
  if (a.threshold) {
    return of_vision("--threshold", "the score is a member of --params, score_threshold");
  }
  if (!a.like.empty()) return of_vision("--like", "the picture comes in as on the chip anyway");
  if (a.inputs.size() == 1) return Ok{};
  return Error(ErrorCode::usage, "--decode " + a.decode + " takes one picture, given are " +
                                     std::to_string(a.inputs.size()))
      .with_hint("Give it with -i PICTURE.");
}

// Stages by --decode and --then-decode with the models, in their order.
Result<VisionOptions> stages_of(const RunArguments& a) {
  std::vector<std::string> decoders = decoders_of_pair(a.decode);
  decoders.insert(decoders.end(), a.then_decode.begin(), a.then_decode.end());
  if (decoders.size() != a.then.size() + 1) {
    return Error(ErrorCode::usage, std::to_string(decoders.size()) + " decoders for " +
                                       std::to_string(a.then.size() + 1) + " networks")
        .with_hint(
            "Give each further network with --then MODEL, and what reads its outputs with "
            "--then-decode NAME; espdl-face and espdl-ocr are two decoders.");
  }
  VisionOptions o;
  for (size_t i = 0; i < decoders.size(); ++i) {
    VisionStage stage;
    stage.file = i == 0 ? a.model : a.then[i - 1];
    stage.open = open_options(a.compute, a.max78);
    stage.run = runner_options(a.compute);
    stage.run.where = Where::twin;
    stage.decoder = decoders[i];
    // Names are those of the last network.
    if (i + 1 == decoders.size()) {
      EDGETWIN_TRY_ASSIGN(stage.names, read_names(stage.decoder, a.labels));
    }
    o.stages.push_back(std::move(stage));
  }
  if (!a.params.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(a.params));
    o.params = as_text(text);
  }
  o.draw = !a.image.empty();
  return o;
}

Json run_json(const VisionRun& run, const std::vector<VisionStage>& stages) {
  Json j = Json::object();
  j.set("model", stages[run.stage].file).set("decoder", stages[run.stage].decoder);
  j.set("of", run.what).set("input_sha256", sha256_hex(run.input.data));
  return j.set("outputs", outputs_json(run.outputs));
}

// The first network's outputs as `run` writes them, what was found, and its arrays.
Status write_vision(const Vision& seen, const Json& origin, AtomicFolder& folder) {
  EDGETWIN_TRY(write_outputs(seen.runs.front().outputs, origin, std::nullopt, folder));
  EDGETWIN_TRY_ASSIGN(const Bytes input, write_npy(seen.runs.front().input));
  EDGETWIN_TRY(folder.write("input_0.npy", input));
  EDGETWIN_TRY(folder.write("result.json", std::string_view(seen.json)));
  for (const Tensor& t : seen.arrays) {
    EDGETWIN_TRY_ASSIGN(const Bytes npy, write_npy(t));
    EDGETWIN_TRY(folder.write(t.name + ".npy", npy));
  }
  return folder.commit();
}

}  // namespace

bool is_vision(const RunArguments& a) { return a.decode.starts_with("espdl-"); }

Status refuse_vision_options(const RunArguments& a) {
  if (is_vision(a)) return Ok{};
  if (!a.then.empty() || !a.then_decode.empty()) {
    return Error(ErrorCode::usage,
                 "--then and --then-decode change nothing without --decode espdl-…");
  }
  if (!a.params.empty() && a.like.empty()) {
    return Error(ErrorCode::usage,
                 "--params changes nothing without --like espdl or --decode espdl-…");
  }
  if (a.like.empty()) return Ok{};
  if (!a.device.device.empty() || !a.machine.empty() || !a.stream.source.empty()) {
    return Error(ErrorCode::usage, "--like espdl is of networks on the twin");
  }
  if (!a.compute.mean.empty() || !a.compute.std.empty()) {
    return Error(ErrorCode::usage,
                 "--mean and --std change nothing with --like espdl: --params has them");
  }
  return Ok{};
}

Result<Inputs> inputs_like_espdl(const RunArguments& a, const Runner& runner, Console& console) {
  if (a.inputs.size() != 1 || runner.inputs().size() != 1) {
    return Error(ErrorCode::usage, "--like espdl takes one picture for one input").in_file(a.model);
  }
  EDGETWIN_TRY_ASSIGN(PreparedPicture made,
                      preprocess_picture(a.inputs[0], a.params, {a.model, a.compute.key}));
  for (const Finding& f : made.findings) console.finding(f);
  const Port& port = runner.inputs()[0];
  if (made.tensor.dtype != port.dtype || made.tensor.shape.elements() != port.shape.elements()) {
    return Error(ErrorCode::input_shape, "the pipeline gives " + to_string(made.tensor.shape) +
                                             " " + std::string(name(made.tensor.dtype)) +
                                             ", the input is " + to_string(port.shape) + " " +
                                             std::string(name(port.dtype)))
        .in_file(a.model);
  }
  made.tensor.name = port.name;
  made.tensor.shape = port.shape;
  made.tensor.quant = port.quant;
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.inputs[0]));
  Inputs inputs;
  inputs.tensors.push_back(std::move(made.tensor));
  inputs.given.push_back({a.inputs[0], sha256_hex(data)});
  return inputs;
}

Result<int> run_vision(const RunArguments& a, Console& console) {
  EDGETWIN_TRY(refuse_for_vision(a));
  EDGETWIN_TRY_ASSIGN(const VisionOptions options, stages_of(a));
  EDGETWIN_TRY_ASSIGN(OutputFolders folders, open_folders(a));
  EDGETWIN_TRY_ASSIGN(const Network network,
                      Network::open(a.model, open_options(a.compute, a.max78)));
  EDGETWIN_TRY_ASSIGN(const Vision seen, see_picture(a.inputs[0], options));
  for (const Finding& f : seen.findings) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.inputs[0]));
  Inputs given;
  given.given.push_back({a.inputs[0], sha256_hex(data)});
  const Json origin = origin_json(network, given, network.numerics());
  if (folders.output) EDGETWIN_TRY(write_vision(seen, origin, *folders.output));
  if (!a.image.empty()) EDGETWIN_TRY(a.image.write(ByteSpan(seen.picture)));
  EDGETWIN_TRY_ASSIGN(const Json result, Json::parse(seen.json, "result"));
  Json runs = Json::array();
  for (const VisionRun& run : seen.runs) runs.push(run_json(run, options.stages));
  console.json().merge(origin).set("result", result).set("runs", std::move(runs));
  console.print(seen.text);
  return kYes;
}

}  // namespace edgetwin::cli
