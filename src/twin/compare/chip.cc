#include "twin/compare/chip.h"

#include <filesystem>

#include "estimate/max78/max78.h"
#include "targets/max78/pipeline/run.h"
#include "targets/target.h"
#include "twin/compare/answers.h"

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
  }
  return Ok{};
}

// Compiled by the open compiler, which executes each program before it gives it out. What it does
// not compile is estimated by its layers.
Status on_edgetpu(const QuantizedNetwork& made, ComparedChip& chip) {
  const MadeFile* file = file_with(made, ".tflite");
  if (file == nullptr) return Error(ErrorCode::internal, "the quantizer made no file");
  const auto compiled = compile_edgetpu(file->bytes, file->path);
  if (!compiled.ok() || compiled->file.empty()) {
    chip.proof = "not compiled: estimated from its layers, nothing to execute";
    if (!compiled.ok()) chip.proof += "; " + compiled.error().message;
    return on_file(made, ".tflite", chip);
  }
  EstimateOptions options;
  options.open.target = chip.target;
  EDGETWIN_TRY_ASSIGN(chip.estimate, estimate(ByteSpan(compiled->file), file->path, options));
  chip.bytes = static_cast<int64_t>(compiled->file.size());
  chip.proven = compiled->proven;
  chip.proof = std::to_string(compiled->on_chip()) + " of " +
               std::to_string(compiled->operators.size()) +
               " operators on the chip; its programs beside the twin";
  judge(chip);
  return Ok{};
}

// The files that the chip loads, over the data set. The set, or the network, may not fit: then the
// reason is kept.
void count_right(const QuantizedNetwork& made, const CompareChipsOptions& how, ComparedChip& chip) {
  const auto folder = MadeFolder::make(made.files);
  if (!folder.ok()) {
    chip.accuracy_reason = folder.error().message;
    return;
  }
  Candidate candidate;
  candidate.open.target = chip.target;
  for (const MadeFile& f : made.files) {
    const std::string ending = std::filesystem::path(f.path).extension().string();
    if (ending == ".yaml" || ending == ".espdl" || ending == ".tflite") {
      candidate.file = folder->file(f.path);
    } else if (ending == ".tar") {
      candidate.open.checkpoint = folder->file(f.path);
    } else if (ending == ".npy") {
      candidate.open.sample = folder->file(f.path);
    }
  }
  const Target* target = find_target(chip.target);
  if (target->family == Family::edgetpu) {  // a .tflite file, in the numerics of the chip
    candidate.open.target.clear();
    candidate.open.numerics = std::string(target->numerics);
  }
  candidate.input_step = made.input_step;
  auto counted = answers_of(candidate, how, chip.target);
  if (counted.ok()) {
    chip.accuracy = counted->accuracy;
    chip.answers = std::move(counted->answers);
  } else {
    chip.accuracy_reason = counted.error().message;
  }
}

Status on_chip(const std::string& network, const CompareChipsOptions& how, ComparedChip& chip) {
  QuantizeOptions options = how.quantize;
  const Target* target = find_target(chip.target);
  options.target = chip.target;
  options.analyse = true;
  EDGETWIN_TRY_ASSIGN(const QuantizedNetwork made, quantize_network(network, options));
  chip.output_noise = made.output_noise;
  chip.layers = made.layers;
  if (!made.fits) {
    refuse(made.findings, chip);
    return Ok{};
  }
  if (how.evaluate) count_right(made, how, chip);
  if (target->family == Family::max78) return on_max78(made, chip);
  return target->family == Family::espdl ? on_file(made, ".espdl", chip) : on_edgetpu(made, chip);
}

}  // namespace

ComparedChip compare_on(const std::string& network, const std::string& target,
                        const CompareChipsOptions& options) {
  ComparedChip chip;
  chip.target = target;
  const Status done = on_chip(network, options, chip);
  if (!done.ok()) refuse(done.error(), chip);
  return chip;
}

}  // namespace edgetwin::twin
