#include "twin/compare/chip.h"

#include "estimate/max78/max78.h"
#include "targets/max78/pipeline/run.h"
#include "targets/target.h"

namespace edgetwin::twin {
namespace {

void refuse(const Error& error, ComparedChip& chip) {
  chip.fits = false;
  chip.reason = std::string(error.id()) + ": " + error.message;
  chip.nearest = error.hint.empty() ? std::string(info(error.code).remedy) : error.hint;
}

void refuse(const std::vector<Finding>& findings, ComparedChip& chip) {
  for (const Finding& f : findings) {
    if (f.severity != Severity::error) continue;
    chip.reason = f.id + ": " + f.message;
    chip.nearest = f.hint;
    const auto code = find_error(f.id);
    if (chip.nearest.empty() && code) chip.nearest = info(*code).remedy;
    return;
  }
}

const MadeFile* file_with(const QuantizedNetwork& made, std::string_view ending) {
  for (const MadeFile& f : made.files) {
    if (f.path.ends_with(ending)) return &f;
  }
  return nullptr;
}

void judge(ComparedChip& chip) {
  const EstimateMemory& memory = chip.estimate->memory;
  chip.fits = memory.verdict != "no";
  if (memory.verdict == "fits") return;
  // The reason ends with what would help.
  const size_t cut = memory.reason.rfind("; ");
  chip.reason = memory.reason.substr(0, cut);
  if (cut != std::string::npos) chip.nearest = memory.reason.substr(cut + 2);
}

// The register program executed by the machine, beside the numbers of the twin.
void prove(const max78::LoadedNetwork& network, ComparedChip& chip) {
  chip.proof = "the machine's outputs beside the twin's";
  const auto twin = max78::simulate(network, network.sample);
  const auto machine = max78::run_machine(network, network.sample);
  if (!twin.ok() || !machine.ok()) {
    chip.proof += ": " + (twin.ok() ? machine.error() : twin.error()).message;
    return;
  }
  bool equal = twin->outputs.size() == machine->outputs.size();
  for (size_t i = 0; equal && i < twin->outputs.size(); ++i) {
    equal = twin->outputs[i].data == machine->outputs[i].data;
  }
  chip.proven = equal;
}

Status on_max78(const QuantizedNetwork& made, ComparedChip& chip) {
  const MadeFile* yaml = file_with(made, ".yaml");
  const MadeFile* checkpoint = file_with(made, ".pth.tar");
  const MadeFile* sample = file_with(made, ".npy");
  if (yaml == nullptr || checkpoint == nullptr || sample == nullptr) {
    return Error(ErrorCode::internal, "the quantizer made no description");
  }
  chip.bytes = static_cast<int64_t>(checkpoint->bytes.size());
  max78::NetworkSources sources;
  sources.device = *max78::device_by_name(chip.target);
  sources.description = max78::Source::bytes(yaml->path, yaml->bytes);
  sources.checkpoint = max78::Source::bytes(checkpoint->path, checkpoint->bytes);
  sources.sample = max78::Source::bytes(sample->path, sample->bytes);
  const max78::Loading loading = max78::load_network(sources);
  if (loading.failure) return *loading.failure;
  if (!loading.ok()) {
    chip.estimate = estimates::refused_max78(max78::chip_limits(sources.device), loading.findings);
    refuse(loading.findings, chip);
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(chip.estimate, estimates::estimate_max78(loading.network->planning, {}));
  judge(chip);
  prove(*loading.network, chip);
  return Ok{};
}

Status on_file(const QuantizedNetwork& made, std::string_view ending, ComparedChip& chip) {
  const MadeFile* file = file_with(made, ending);
  if (file == nullptr) return Error(ErrorCode::internal, "the quantizer made no file");
  chip.bytes = static_cast<int64_t>(file->bytes.size());
  EstimateOptions options;
  options.open.target = chip.target;
  EDGETWIN_TRY_ASSIGN(chip.estimate, estimate(ByteSpan(file->bytes), file->path, options));
  judge(chip);
  if (ending == ".espdl") {
    chip.proven = true;
    chip.proof = "the file opened again gives its embedded results";
  } else {
    chip.proof = "not compiled: estimated from its layers, nothing to execute";
  }
  return Ok{};
}

Status on_chip(const std::string& network, QuantizeOptions options, ComparedChip& chip) {
  const Target* target = find_target(chip.target);
  options.target = chip.target;
  options.analyse = target->family != Family::edgetpu;
  EDGETWIN_TRY_ASSIGN(const QuantizedNetwork made, quantize_network(network, options));
  chip.output_noise = made.output_noise;
  chip.layers = made.layers;
  if (!made.fits) {
    refuse(made.findings, chip);
    return Ok{};
  }
  if (target->family == Family::max78) return on_max78(made, chip);
  return on_file(made, target->family == Family::espdl ? ".espdl" : ".tflite", chip);
}

}  // namespace

ComparedChip compare_on(const std::string& network, const std::string& target,
                        const QuantizeOptions& quantize) {
  ComparedChip chip;
  chip.target = target;
  const Status done = on_chip(network, quantize, chip);
  if (!done.ok()) refuse(done.error(), chip);
  return chip;
}

}  // namespace edgetwin::twin
