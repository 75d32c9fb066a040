#include "twin/compute.h"

#include <algorithm>

#include "formats/darwinn/darwinn.h"
#include "kernels/core/isa.h"
#include "ops/registry/numerics.h"
#include "twin/espdl_choice.h"

namespace edgetwin::twin {
namespace {

Status check_isa(const std::string& given) {
  if (given.empty()) return Ok{};
  const auto isa = kernels::isa_by_name(given);
  if (isa && kernels::available(*isa)) return Ok{};
  std::string here;
  for (const kernels::Isa i : kernels::available_isas()) here += " " + std::string(name(i));
  return Error(ErrorCode::usage, isa ? "this machine has no instruction set '" + given + "'"
                                     : "there is no instruction set '" + given + "'")
      .with_hint("This machine has:" + here);
}

Status check_constants(const LoadedModel& loaded) {
  for (const Value& v : loaded.model->main().values) {
    if (!v.is_constant() || !v.constant->empty() || v.shape.elements() == 0) continue;
    return Error(ErrorCode::usage,
                 "constants of this network were given back to the runner that "
                 "was made of it with RunnerOptions::once")
        .in_file(loaded.file)
        .with_hint("Open the network again for another runner, or make runners without it.");
  }
  return Ok{};
}

}  // namespace

ComputeOptions compute_options(const OpenOptions& o, const RunnerOptions& r) {
  ComputeOptions c;
  c.numerics = o.numerics;
  c.target = o.target;
  c.model = o.member;
  c.key = o.key;
  c.runtime = o.runtime;
  c.wide = o.wide;
  c.shapes = o.shapes;
  c.threads = r.threads;
  c.plain = r.plain;
  c.isa = r.isa;
  c.allow_undefined = r.allow_undefined;
  c.real_additions = r.real_additions;
  c.once = r.once && !r.keep_layers;
  return c;
}

bool has_compiled_ops(const Graph& graph) {
  return std::any_of(graph.ops.begin(), graph.ops.end(), [](const Op& op) {
    const auto* attrs = std::get_if<OpaqueAttrs>(&op.attrs);
    return attrs != nullptr && attrs->name == darwinn::kCustomCode;
  });
}

Result<exec::Session> plan(const LoadedModel& loaded, const ComputeOptions& compute,
                           bool keep_all) {
  EDGETWIN_TRY_ASSIGN(const std::string numerics, choose_numerics(loaded, compute));
  EDGETWIN_TRY(ops::numerics_of_graphs(numerics));
  EDGETWIN_TRY(check_isa(compute.isa));
  EDGETWIN_TRY(check_constants(loaded));
  exec::Options options;
  options.numerics = numerics;
  EDGETWIN_TRY_ASSIGN(options.runtime, runtime_version(compute.runtime));
  options.allow_undefined = compute.allow_undefined;
  options.real_additions = compute.real_additions;
  options.once = compute.once;
  if (compute.once) {
    // load.cc makes models that may be changed; this one is the runner's alone.
    options.given_back = [model = std::const_pointer_cast<Model>(loaded.model)](ValueId id) {
      model->graphs.front().value(id).constant = std::make_shared<const Bytes>();
    };
  }
  options.threads = compute.threads;
  options.fast = !compute.plain;
  options.isa = compute.isa;
  options.keep_all = keep_all;
  auto session = exec::Session::create(loaded.graph(), options);
  if (session.ok()) return session;
  Error error = std::move(session).error();
  if (error.place.file.empty()) error.place.file = loaded.file;
  if (error.code == ErrorCode::op_unsupported && has_compiled_ops(loaded.model->main())) {
    error.hint =
        "The file was compiled for the Edge TPU, and its network is in that chip's instructions "
        "now. Give the .tflite model that it was compiled from, make a network of this "
        "one with `decompile`, or compute it with --device usb, --device virtual or --machine "
        "edgetpu.";
  }
  return error;
}

std::string used_isa(const ComputeOptions& compute) {
  if (compute.plain) return "plain";
  return compute.isa.empty() ? std::string(name(kernels::best_isa())) : compute.isa;
}

Status set_inputs(exec::Session& session, const std::vector<Tensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    EDGETWIN_TRY(session.set_input(i, tensors[i].data));
  }
  return Ok{};
}

}  // namespace edgetwin::twin
