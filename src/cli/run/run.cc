// `run` of a network on the twin.
#include "base/file.h"
#include "cli/networks/max78.h"
#include "cli/networks/page.h"
#include "cli/networks/twin_inputs.h"
#include "cli/run/arguments.h"
#include "cli/run/as_quantized.h"
#include "cli/run/ideal.h"
#include "cli/run/kinds.h"
#include "cli/run/outputs.h"
#include "cli/run/run_output.h"
#include "cli/run/vision.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/open_arguments.h"
#include "formats/darwinn/darwinn.h"
#include "report/format.h"
#include "report/trace_io.h"
#include "twin/decode/decode_text.h"
#include "verify/compare.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// All tensors that a run kept.
std::vector<Tensor> tensors_of(const Run& run) {
  if (run.layers.empty()) return run.outputs;
  std::vector<Tensor> tensors;
  for (const LayerResult& l : run.layers) tensors.push_back(l.tensor);
  return tensors;
}

// The second run of --repeat: all tensors that were kept must come out the same.
Result<bool> repeats(Runner& runner, const Inputs& inputs, const Run& first, Console& console) {
  EDGETWIN_TRY(runner.reset());
  EDGETWIN_TRY_ASSIGN(const Run second, runner.run(inputs.tensors));
  const verify::SetDiff diff = verify::compare_sets(tensors_of(first), tensors_of(second), 0.0);
  console.json().set("repeatable", diff.equal());
  console.print(diff.equal() ? "equal: the second run gave the same bits\n"
                             : "different: the second run gave other bits, first in '" +
                                   diff.tensors[diff.first.value_or(0)].name + "'\n");
  return diff.equal();
}

Status write_trace(const Run& run, AtomicFolder& folder) {
  report::TraceWriter writer(folder);
  for (const LayerResult& l : run.layers) {
    EDGETWIN_TRY(writer.add(l.index, l.type, l.value, l.tensor));
  }
  return writer.finish();
}

Status write_results(OutputFolders& folders, const Run& run, const Json& origin,
                     const std::optional<Decoded>& decoded) {
  if (folders.output) {
    EDGETWIN_TRY(write_outputs(run.outputs, origin, decoded, *folders.output));
  }
  if (folders.trace) EDGETWIN_TRY(write_trace(run, *folders.trace));
  return commit(folders);
}

void show_findings(std::span<const Finding> findings, const char* member, bool always,
                   Console& console) {
  Json list = Json::array();
  for (const Finding& f : findings) {
    console.finding(f);
    list.push(report::to_json(f));
  }
  if (always || list.size() > 0) console.json().set(member, std::move(list));
}

Result<std::optional<Decoded>> decoded_of(const RunArguments& a, const Run& run,
                                          const Runner& runner, const Inputs& inputs,
                                          const Labels& labels) {
  if (a.decode.empty()) return std::optional<Decoded>{};
  EDGETWIN_TRY_ASSIGN(
      Decoded decoded,
      decode_outputs(run, runner, inputs, {a.decode, a.threshold, labels, !a.image.empty()}));
  return std::optional<Decoded>(std::move(decoded));
}

// Prints what the outputs are and mean.
void show_outputs(const RunArguments& a, const Run& run, const Labels& labels,
                  const std::optional<Decoded>& decoded, Console& console) {
  if (a.output.empty()) print_summary(run.outputs, console);
  if (decoded) {
    console.print(twin::to_text(*decoded));
    console.json().set(twin::member_of(*decoded), twin::to_json(*decoded));
  } else if (!a.labels.empty()) {
    const std::vector<Tensor> outputs = classes_last(run);
    check_labels(outputs, labels, console);
    console.json().set("best", print_best(outputs, labels, console));
  }
}

Result<Network> open_network(const RunArguments& a, Bytes data, Console& console) {
  if (a.mode == "ideal") return open_ideal(a, data, console);
  EDGETWIN_TRY_ASSIGN(Network network,
                      open_for_twin(std::move(data), a.model, a.compute, a.max78, a.inputs));
  if (a.mode.empty() || network.kind() == FileKind::espdl) return network;
  return Error(ErrorCode::usage, "--mode is of quantized .espdl models").in_file(a.model);
}

Result<int> run_on_twin(const RunArguments& a, Bytes data, Console& console) {
  Labels labels;
  if (!a.labels.empty()) {
    EDGETWIN_TRY_ASSIGN(labels, read_labels(a.labels));
  }
  EDGETWIN_TRY_ASSIGN(const Network network, open_network(a, std::move(data), console));
  RunnerOptions how = runner_options(a.compute);
  how.where = Where::twin;
  how.keep_layers = !a.trace.empty();
  how.decoder = a.decode;
  how.progress = console.progress_sink();
  // The page and --as-quantized compute the network once more.
  how.once = a.report.empty() && !a.as_quantized;
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> runner, network.runner(how));
  PictureOptions pictures = picture_options(a.compute);
  if (const DecoderInfo* d = find_decoder(a.decode)) pictures.resize = d->resize;
  EDGETWIN_TRY_ASSIGN(const Inputs inputs,
                      a.like.empty() ? inputs_for_twin(network, *runner, a.inputs, pictures)
                                     : inputs_like_espdl(a, *runner, console));
  show_findings(runner->findings(), "findings", true, console);
  EDGETWIN_TRY_ASSIGN(OutputFolders folders, open_folders(a));
  EDGETWIN_TRY(runner->reset());
  EDGETWIN_TRY_ASSIGN(const Run run, runner->run(inputs.tensors));

  const Json origin = origin_json(network, inputs, runner->numerics());
  EDGETWIN_TRY_ASSIGN(const std::optional<Decoded> decoded,
                      decoded_of(a, run, *runner, inputs, labels));
  if (a.as_quantized) {
    AtomicFolder* folder = folders.output ? &*folders.output : nullptr;
    EDGETWIN_TRY(show_as_quantized(a, network, inputs, run, folder, console));
  }
  EDGETWIN_TRY(write_results(folders, run, origin, decoded));
  if (decoded && !a.image.empty()) EDGETWIN_TRY(a.image.write(ByteSpan(decoded->png)));
  show_findings(run.findings, "run_findings", false, console);
  console.json().merge(origin).set("outputs", outputs_json(run.outputs));
  show_outputs(a, run, labels, decoded, console);
  bool equal = true;
  if (a.repeat) {
    EDGETWIN_TRY_ASSIGN(equal, repeats(*runner, inputs, run, console));
  }
  if (!a.report.empty()) {
    ReportOptions page;
    page.run = runner_options(a.compute);
    EDGETWIN_TRY(write_page(a.report, network, inputs, page, console));
  }
  return equal ? kYes : kNo;
}

// A program of the Edge TPU that no model is around.
bool is_raw_program(ByteSpan data) {
  const auto container = darwinn::container_of(data);
  return container == darwinn::Container::bitstream || container == darwinn::Container::executable;
}

// An order of engines is one of a program's.
Status interleave_fits(const RunArguments& a, bool compiled) {
  if (!a.interleave || (compiled && a.device.device.empty() && a.stream.source.empty()))
    return Ok{};
  return Error(ErrorCode::usage, "--interleave goes with a compiled Edge TPU model on the machine")
      .in_file(a.model)
      .with_hint("`timeline` takes programs that no model is around.");
}

}  // namespace

Result<int> execute(const RunArguments& a, Console& console) {
  EDGETWIN_TRY(refuse_vision_options(a));
  if (is_vision(a)) return run_vision(a, console);
  Result<Bytes> read = read_file(a.model);
  EDGETWIN_TRY(interleave_fits(
      a, read.ok() && file_kind(*read) == FileKind::edgetpu && !is_raw_program(*read)));
  if (read.ok() && is_raw_program(*read)) return run_raw_program(a, *read, console);
  EDGETWIN_TRY_ASSIGN(const bool max78,
                      is_max78_network(read.ok() ? ByteSpan(*read) : ByteSpan(), a.max78, "run"));
  if (!read.ok()) return read.error();
  const Bytes& data = *read;
  if (max78 && (!a.device.device.empty() || !a.machine.empty())) {
    return Error(ErrorCode::usage,
                 std::string(a.machine.empty() ? "--device" : "--machine") +
                     " takes compiled Edge TPU models, and this is a network .yaml")
        .in_file(a.model)
        .with_hint("`verify --network NET.yaml` executes its register program.");
  }
  if (!a.mode.empty() && (!a.device.device.empty() || !a.machine.empty())) {
    return Error(ErrorCode::usage, "--mode is of .espdl models on the twin").in_file(a.model);
  }
  if (!a.stream.source.empty()) return run_on_stream(a, console);
  if (!a.device.device.empty()) return run_on_device(a, data, console);
  if (!a.machine.empty()) return run_on_machine(a, data, console);
  if (file_kind(data) == FileKind::edgetpu) {
    console.note("compiled for the Edge TPU: the machine executes its instructions");
    return run_on_machine(a, data, console);
  }
  return run_on_twin(a, std::move(read).value(), console);
}

}  // namespace edgetwin::cli
