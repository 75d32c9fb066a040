#include "edgetwin/network.h"

#include "base/file.h"
#include "base/sha256.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/darwinn/darwinn.h"
#include "formats/torch/checkpoint.h"
#include "targets/max78/program/program_text.h"
#include "targets/target.h"
#include "twin/espdl_choice.h"
#include "twin/network_impl.h"
#include "twin/runners.h"

namespace edgetwin {
namespace {

Error not_there(const Network& network, Where where, const std::string& hint) {
  return Error(ErrorCode::usage, "a file of kind " + std::string(name(network.kind())) +
                                     " does not compute on the " + std::string(name(where)))
      .in_file(network.file())
      .with_hint(hint);
}

// The chip whose numerics a graph is computed in.
const Target* target_of_numerics(std::string_view numerics) {
  for (const Target& t : all_targets()) {
    if (numerics == t.numerics || numerics.starts_with(std::string(t.numerics) + ":")) return &t;
  }
  return nullptr;
}

Status open_graph(Network::Impl& n) {
  twin::LoadOptions how = twin::load_options(twin::compute_options(n.options, {}));
  how.sha256 = n.sha256;
  EDGETWIN_TRY_ASSIGN(n.loaded, twin::load_model_and_release(n.data, n.file, how));
  n.findings = n.loaded->model->findings;
  if (n.kind == FileKind::tflite) n.open_shapes = tflite::open_shapes(n.data);
  if (n.kind == FileKind::tflite && twin::has_compiled_ops(n.loaded->model->main())) {
    n.kind = FileKind::edgetpu;
    n.target = find_target("edgetpu");
    n.target_why = "a part of it is compiled for this chip";
    n.numerics = n.options.numerics.empty() ? "tflite" : n.options.numerics;  // of the host's part
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(n.numerics,
                      twin::choose_numerics(*n.loaded, twin::compute_options(n.options, {})));
  if (!n.loaded->target.empty()) {
    n.target = find_target(n.loaded->target);
    n.target_why = n.loaded->target_why;
  } else {
    n.target = target_of_numerics(n.numerics);
    n.target_why = !n.options.numerics.empty() ? "its numerics were named"
                   : n.options.target.empty()  ? "the format's own"
                                               : "named";
  }
  return Ok{};
}

// A description, or a register program with the description of its network.
Status open_max78_network(Network::Impl& n) {
  twin::Max78Network network;
  if (n.kind == FileKind::max78_program) {
    EDGETWIN_TRY_ASSIGN(network, twin::open_max78_program(n.data, n.file, n.options));
    n.target = find_target(max78::name(network.program->device));
    n.target_why = "its addresses";
  } else {
    EDGETWIN_TRY_ASSIGN(network, twin::open_max78(n.data, n.file, n.options));
    n.target = find_target(n.options.target);
    n.target_why = "named";
  }
  n.data = Bytes();
  n.findings = network.findings;
  n.numerics = network.network != nullptr
                   ? std::string(max78::name(network.network->options.arithmetic))
                   : std::string(n.target->numerics);
  n.max78 = std::make_shared<const twin::Max78Network>(std::move(network));
  return Ok{};
}

// A target that is named for a file whose format belongs to another, or beside other numerics.
Status check_target(const Network::Impl& n) {
  if (n.options.target.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Target* wanted, targets::require_target(n.options.target));
  if (n.target == wanted || (n.target != nullptr && n.target->family == wanted->family))
    return Ok{};
  if (n.kind == FileKind::tflite && !n.options.numerics.empty() &&
      targets::takes(*wanted, ".tflite")) {
    return Error(ErrorCode::usage, "the numerics of " + std::string(wanted->name) + " are " +
                                       std::string(wanted->numerics) + ", not " +
                                       n.options.numerics)
        .in_file(n.file)
        .with_hint("Leave the target or the numerics out.");
  }
  return Error(ErrorCode::usage, "the file is not for " + std::string(wanted->name) + ": " +
                                     std::string(name(n.kind)) + " files belong to " +
                                     (n.target ? std::string(n.target->name) : "no chip"))
      .in_file(n.file)
      .with_hint("Leave the target out, or quantize or compile the network for it first.");
}

}  // namespace

FileKind file_kind(ByteSpan data) {
  const FileKind kind = twin::sniff(data);
  if (kind == FileKind::tflite && darwinn::container_of(data)) return FileKind::edgetpu;
  if (torch::looks_like_checkpoint(data)) return FileKind::checkpoint;
  if (kind != FileKind::unknown) return kind;
  if (ai8x::looks_like_network(as_text(data))) return FileKind::max78;
  if (max78::looks_like_program(as_text(data))) return FileKind::max78_program;
  return kind;
}

std::string_view name(FileKind kind) {
  switch (kind) {
    case FileKind::tflite:
      return "tflite";
    case FileKind::edgetpu:
      return "edgetpu";
    case FileKind::espdl:
      return "espdl";
    case FileKind::onnx:
      return "onnx";
    case FileKind::max78:
      return "max7800x network";
    case FileKind::max78_program:
      return "max7800x program";
    case FileKind::checkpoint:
      return "checkpoint";
    case FileKind::npy:
      return "npy";
    case FileKind::npz:
      return "npz";
    case FileKind::image:
      return "image";
    case FileKind::unknown:
      break;
  }
  return "unknown";
}

std::string_view name(Where where) {
  switch (where) {
    case Where::automatic:
      return "twin or machine";
    case Where::twin:
      return "twin";
    case Where::machine:
      return "machine";
    case Where::virtual_device:
      return "virtual device";
    case Where::device:
      return "device";
    case Where::recorded:
      break;
  }
  return "recorded results";
}

namespace {

// What only a description of a MAX78000 or MAX78002 is made complete by.
Status refuse_max78_files(const OpenOptions& o, const std::string& name) {
  for (const auto& [value, option] : {std::pair(&o.checkpoint, "--checkpoint"),
                                      {&o.weights, "--weights"},
                                      {&o.bias, "--bias"},
                                      {&o.sample, "--sample"},
                                      {&o.input_shape, "--input-shape"}}) {
    if (value->empty()) continue;
    return Error(ErrorCode::usage, std::string(option) +
                                       " changes nothing here: it belongs to a description, .yaml, "
                                       "of a MAX78000 or MAX78002")
        .in_file(name)
        .with_hint("Leave it out.");
  }
  return Ok{};
}

}  // namespace

Result<Network> Network::open(const std::string& file, const OpenOptions& options) {
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(file));
  return Impl::open(std::move(data), file, options);
}

Result<Network> Network::open(ByteSpan bytes, const std::string& name, const OpenOptions& options) {
  return Impl::open(to_bytes(bytes), name, options);
}

Result<Network> Network::Impl::open(Bytes bytes, const std::string& name,
                                    const OpenOptions& options) {
  auto impl = std::make_shared<Impl>();
  impl->file = name;
  impl->sha256 = sha256_hex(bytes);
  impl->data = std::move(bytes);
  impl->options = options;
  impl->kind = file_kind(impl->data);
  if (impl->kind == FileKind::max78 || impl->kind == FileKind::max78_program) {
    EDGETWIN_TRY(open_max78_network(*impl));
    return Network(std::move(impl));
  }
  EDGETWIN_TRY(refuse_max78_files(options, name));
  impl->kind = twin::sniff(impl->data);
  EDGETWIN_TRY(open_graph(*impl));
  EDGETWIN_TRY(check_target(*impl));
  // Not `= {}`, which assigns an empty list and keeps the memory.
  if (impl->kind != FileKind::edgetpu) impl->data = Bytes();
  impl->loaded->espdl = nullptr;  // a second copy of all weights, which no runner looks at
  return Network(std::move(impl));
}

const std::string& Network::file() const { return impl_->file; }
const std::string& Network::sha256() const { return impl_->sha256; }
FileKind Network::kind() const { return impl_->kind; }
const Target* Network::target() const { return impl_->target; }
const std::string& Network::target_why() const { return impl_->target_why; }
const std::string& Network::numerics() const { return impl_->numerics; }
std::span<const Finding> Network::findings() const { return impl_->findings; }
const Tensor* Network::sample() const {
  const auto* network = impl_->max78 != nullptr ? impl_->max78->network.get() : nullptr;
  return network != nullptr && !network->sample.data.empty() ? &network->sample : nullptr;
}

Result<std::unique_ptr<Runner>> Network::runner(const RunnerOptions& options) const {
  if (impl_->max78 != nullptr) {
    if (options.where == Where::device || options.where == Where::virtual_device) {
      return not_there(*this, options.where, "`compile` writes a project for a board.");
    }
    return twin::max78_runner(impl_->max78, options);
  }
  const bool compiled = kind() == FileKind::edgetpu;
  Where where = options.where;
  if (where == Where::automatic) where = compiled ? Where::machine : Where::twin;
  const twin::ComputeOptions compute = twin::compute_options(impl_->options, options);
  switch (where) {
    case Where::twin:  // of a compiled model, planning says why not
      return twin::graph_runner(*impl_->loaded, compute, options);
    case Where::machine:
      if (!compiled) return not_there(*this, where, "The machine executes compiled models.");
      return twin::machine_runner(*impl_->loaded, impl_->data, compute, options);
    case Where::device:
    case Where::virtual_device:
      if (!compiled) return not_there(*this, where, "A device takes compiled models.");
      return twin::device_runner(*impl_->loaded, impl_->data, compute, options);
    case Where::recorded:
    case Where::automatic:
      break;
  }
  return not_there(*this, where, "recorded_runner() opens folders of recorded results.");
}

}  // namespace edgetwin
