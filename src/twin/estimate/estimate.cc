#include "edgetwin/estimate.h"
#include "edgetwin/compile.h"

#include "base/file.h"
#include "estimate/edgetpu/edgetpu.h"
#include "estimate/espdl/espdl.h"
#include "estimate/max78/max78.h"
#include "estimate/output.h"
#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"
#include "plot/drawing.h"
#include "targets/max78/pipeline/load.h"
#include "targets/target.h"
#include "twin/espdl_choice.h"
#include "twin/estimate/wishes.h"
#include "twin/load.h"
#include "twin/max78_network.h"

namespace edgetwin {
namespace {

// What a word of two stands for; nothing where it was not given. Error: usage.
Result<std::optional<bool>> one_of_two(const std::string& word, const char* option, const char* yes,
                                       const char* no) {
  if (word.empty()) return std::optional<bool>{};
  if (word == yes) return std::optional<bool>{true};
  if (word == no) return std::optional<bool>{false};
  return Error(ErrorCode::usage,
               std::string(option) + " is " + yes + " or " + no + ", not '" + word + "'");
}

// The line that makes integers of a network for a chip.
Error needs_integers(const std::string& name, const std::string& target, const char* what) {
  const std::string ending = target.starts_with("esp32") ? ".espdl" : "";
  return Error(ErrorCode::file_kind,
               std::string("an estimate needs the chip's own file; this is ") + what)
      .in_file(name)
      .with_hint("edgetwin quantize " + name + " --target " + (target.empty() ? "CHIP" : target) +
                 " --calibrate SAMPLES -o NET" + ending);
}

Result<Estimate> of_max78(ByteSpan bytes, const std::string& name, const EstimateOptions& options,
                          bool program) {
  EDGETWIN_TRY(twin::refuse_others(options, Family::max78));
  if (!program && !options.open.network.empty()) {
    return Error(ErrorCode::usage, "--network changes nothing: this file is the description")
        .in_file(name)
        .with_hint("It belongs to a register program.");
  }
  estimates::Max78Wishes wishes;
  wishes.clock_mhz = options.clock_mhz;
  EDGETWIN_TRY_ASSIGN(wishes.fifo, one_of_two(options.input, "--input", "fifo", "memory"));
  EDGETWIN_TRY_ASSIGN(wishes.riscv, one_of_two(options.core, "--core", "riscv", "arm"));
  OpenOptions open = options.open;
  const bool stands_in = open.checkpoint.empty() && open.weights.empty();
  if (stands_in) {
    open.weights = "xs32:1";
    open.bias = "xs32:1";
  }
  auto opened =
      program ? twin::open_max78_program(bytes, name, open) : twin::open_max78(bytes, name, open);
  if (!opened.ok()) {
    // A rule of the chip that is broken is an answer, everything else is an input that is wrong.
    const Error& error = opened.error();
    const auto device = max78::device_by_name(open.target);
    const bool rule = error.id().starts_with("MAX78-") && info(error.code).exit_code == 1;
    if (!device || !rule) return error;
    return estimates::refused_max78(max78::chip_limits(*device),
                                    {finding_of(error, Severity::error)});
  }
  const twin::Max78Network& network = *opened;
  if (network.failure) return *network.failure;
  const auto& planning = network.network->planning;
  Estimate e;
  if (!network.fits) {
    const auto device = planning.resolved ? planning.resolved->chip->device
                                          : *max78::device_by_name(find_target(open.target)->name);
    return estimates::refused_max78(max78::chip_limits(device), network.findings);
  }
  EDGETWIN_TRY_ASSIGN(e, estimates::estimate_max78(planning, wishes));
  if (stands_in) {
    e.assumptions.push_back({"parameters", "pseudo-random, with a bias for each layer", "default"});
  }
  return e;
}

Result<const espdl::ModelFile*> member_of(const espdl::Container& container,
                                          const std::string& member, const std::string& name) {
  if (member.empty() && container.models.size() == 1) return &container.models.front();
  std::string list;
  for (size_t i = 0; i < container.models.size(); ++i) {
    const espdl::ModelFile& m = container.models[i];
    if (!member.empty() && (m.name == member || std::to_string(i) == member)) return &m;
    list += (list.empty() ? "" : ", ") + m.name;
  }
  return Error(ErrorCode::usage, "the package holds several models")
      .in_file(name)
      .with_hint("Name one with --model: " + list);
}

Result<Estimate> of_espdl(ByteSpan bytes, const std::string& name, const EstimateOptions& options) {
  EDGETWIN_TRY(twin::refuse_others(options, Family::espdl));
  EDGETWIN_TRY_ASSIGN(const espdl::Container container,
                      twin::load_espdl(bytes, name, options.open.key));
  EDGETWIN_TRY_ASSIGN(const espdl::ModelFile* model,
                      member_of(container, options.open.member, name));
  if (!options.open.key.empty() && !model->encrypted) {
    return Error(ErrorCode::usage, "--key changes nothing: the model is not encrypted")
        .in_file(name)
        .with_hint("Leave --key out.");
  }
  twin::LoadOptions how;
  how.target = options.open.target;
  EDGETWIN_TRY_ASSIGN(const twin::ChosenTarget chosen,
                      twin::choose_target(model->document, name, how));
  estimates::EspdlWishes wishes;
  wishes.board = options.board;
  wishes.runtime = options.runtime;
  wishes.model_in = options.model_in;
  wishes.clock_mhz = options.clock_mhz;
  wishes.cores = options.cores;
  wishes.param_copy = options.param_copy;
  wishes.internal = options.internal;
  wishes.reserve = options.reserve;
  return estimates::estimate_espdl(*model, static_cast<int64_t>(bytes.size()), chosen.target,
                                   wishes);
}

Result<Estimate> of_compiled(ByteSpan bytes, const std::string& name,
                             const estimates::TpuWishes& wishes) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(bytes, name));
  if (file.container != darwinn::Container::tflite) {
    return estimates::estimate_compiled(file, nullptr, wishes);
  }
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(bytes, name));
  return estimates::estimate_compiled(file, &model.main(), wishes);
}

// A network that is not compiled: the program that `compile` makes of it is what is counted. Where
// it makes none, iterations are those of the layers, with the reason.
Result<Estimate> of_uncompiled(ByteSpan bytes, const std::string& name,
                               const estimates::TpuWishes& wishes) {
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(bytes, name));
  EDGETWIN_TRY_ASSIGN(Estimate by_layers, estimates::estimate_uncompiled(model.main(), wishes));
  EdgetpuCompileOptions how;
  how.inputs = 1;
  how.order = false;
  const auto compiled = compile_edgetpu(bytes, name, how);
  if (compiled.ok() && !compiled->file.empty()) {
    EDGETWIN_TRY_ASSIGN(Estimate e, of_compiled(compiled->file, name, wishes));
    e.assumptions.push_back({"program",
                             "as `compile` makes it: " + std::to_string(compiled->on_chip()) +
                                 " of " + std::to_string(compiled->operators.size()) +
                                 " operators on the chip",
                             "model"});
    return e;
  }
  std::string why = compiled.ok() ? "no operator is one of the chip" : compiled.error().message;
  if (compiled.ok() && compiled->on_chip() > 0) why = "its program is not proven";
  by_layers.assumptions.push_back({"program", "iterations by layer; `compile`: " + why, "model"});
  return by_layers;
}

Result<Estimate> of_edgetpu(ByteSpan bytes, const std::string& name, const EstimateOptions& options,
                            bool compiled) {
  EDGETWIN_TRY(twin::refuse_others(options, Family::edgetpu));
  const estimates::TpuWishes wishes = {options.host, options.clock_mhz};
  return compiled ? of_compiled(bytes, name, wishes) : of_uncompiled(bytes, name, wishes);
}

Result<Estimate> of_tflite(ByteSpan bytes, const std::string& name, const EstimateOptions& options,
                           const Target* target) {
  if (target == nullptr) {
    return Error(ErrorCode::usage, "the file does not tell the chip")
        .in_file(name)
        .with_hint("Add --target edgetpu.");
  }
  if (target->family != Family::edgetpu) {
    return needs_integers(name, std::string(target->name), "a .tflite file");
  }
  auto result = of_edgetpu(bytes, name, options, false);
  if (!result.ok() && result.error().code == ErrorCode::file_kind) {
    Error error = std::move(result).error();
    error.hint =
        "edgetwin quantize " + name + " --target edgetpu --calibrate SAMPLES -o NET.tflite";
    return std::move(error).in_file(name);
  }
  return result;
}

// A target that is named and not the file's. Error: usage.
Status right_family(const Target* target, Family family, const std::string& name) {
  if (target == nullptr || target->family == family) return Ok{};
  return Error(ErrorCode::usage, "the file is not for the target " + std::string(target->name))
      .in_file(name);
}

}  // namespace

Result<Estimate> estimate(ByteSpan bytes, const std::string& name, const EstimateOptions& options) {
  const Target* target = nullptr;
  if (!options.open.target.empty()) {
    EDGETWIN_TRY_ASSIGN(target, targets::require_target_for(options.open.target, "estimate"));
  }
  if (darwinn::container_of(bytes)) {
    EDGETWIN_TRY(right_family(target, Family::edgetpu, name));
    return of_edgetpu(bytes, name, options, true);
  }
  switch (file_kind(bytes)) {
    case FileKind::max78:
    case FileKind::max78_program:
      EDGETWIN_TRY(right_family(target, Family::max78, name));
      return of_max78(bytes, name, options, file_kind(bytes) == FileKind::max78_program);
    case FileKind::espdl:
      EDGETWIN_TRY(right_family(target, Family::espdl, name));
      return of_espdl(bytes, name, options);
    case FileKind::tflite:
      return of_tflite(bytes, name, options, target);
    case FileKind::onnx:
      return needs_integers(name, options.open.target, "a float network");
    default:
      break;
  }
  return Error(ErrorCode::file_kind,
               "estimates are made of network descriptions and register programs (MAX78000, "
               "MAX78002), .espdl files and .tflite files")
      .in_file(name);
}

Result<Estimate> estimate(const std::string& file, const EstimateOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return estimate(ByteSpan(data), file, options);
}

std::string estimate_text(const Estimate& e, bool layers) { return estimates::to_text(e, layers); }

std::string estimate_json(const Estimate& e) { return estimates::to_json(e).text(); }

std::string estimate_picture(const Estimate& e) {
  const plot::Drawing picture = estimates::placement_picture(e);
  return picture.rects.empty() ? std::string() : plot::to_svg(picture);
}

}  // namespace edgetwin
