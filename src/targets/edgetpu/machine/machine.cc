#include "targets/edgetpu/machine/machine.h"

#include <algorithm>
#include <utility>

#include "formats/darwinn/relayout.h"
#include "targets/edgetpu/machine/engines/output.h"
#include "targets/edgetpu/machine/schedule.h"
#include "targets/edgetpu/program/trace.h"

namespace edgetwin::edgetpu::machine {
namespace {

using darwinn::Executable;

// The steps of a program that ran, as before.
Steps again(Steps steps) {
  for (Step& s : steps.list) {
    s.done = false;
    s.fed.clear();
    s.data = {};
  }
  return steps;
}

// An executable, followed and decoded.
Result<Prepared> prepared(const Executable& e, const MachineLimits& limits) {
  const Buffers buffers(e);
  EDGETWIN_TRY_ASSIGN(const Trace trace, trace_of(e, buffers, limits.repeats));
  Prepared p;
  EDGETWIN_TRY_ASSIGN(p.steps, make_steps(trace, std::string(darwinn::name(e.type))));
  p.transfers = trace.transfers;
  EDGETWIN_TRY_ASSIGN(p.host, plan_host(e, buffers, trace.transfers));
  return p;
}

}  // namespace

Result<Machine> Machine::make(const darwinn::Package& package, MachineLimits limits, bool plain) {
  Machine m;
  m.inference_ = package.inference();
  if (m.inference_ == nullptr) {
    return Error(ErrorCode::chip_stream, "the package has no program for inference");
  }
  m.core_ = std::make_unique<Core>();
  m.core_->limits = limits;
  m.core_->plain = plain;
  if (const Executable* caching = package.find(darwinn::ExecutableType::parameter_caching)) {
    EDGETWIN_TRY_ASSIGN(Prepared p, prepared(*caching, limits));
    m.core_->begin(*caching, std::string(darwinn::name(caching->type)), std::move(p.steps),
                   caching->parameters);
    EDGETWIN_TRY(run_steps(*m.core_));
  }
  // What cannot be executed is said before anything runs.
  EDGETWIN_TRY_ASSIGN(m.prepared_, prepared(*m.inference_, limits));
  return m;
}

Result<std::vector<Bytes>> Machine::run(const std::vector<ByteSpan>& inputs) {
  const Executable& e = *inference_;
  Core& core = *core_;
  if (inputs.size() != e.inputs.size()) {
    return Error(ErrorCode::chip_stream, "the program takes another number of inputs")
        .detail(std::to_string(e.inputs.size()) + ", given are " + std::to_string(inputs.size()));
  }
  // They are the largest of all: after the first run the core has them.
  Steps steps =
      std::exchange(ran_, true) ? again(std::move(core.steps)) : std::move(prepared_.steps);
  core.begin(e, std::string(darwinn::name(e.type)), std::move(steps), e.parameters);
  core.inputs = inputs_of(prepared_.host, inputs);
  core.returned = prepared_.host.returned;
  EDGETWIN_TRY(run_steps(core));
  EDGETWIN_TRY_ASSIGN(const HostOutput output, output_of(core, e, prepared_.transfers));
  const auto odd = std::ranges::count_if(core.steps.list, [](const Step& s) { return s.odd != 0; });
  report_ = {core.steps.instructions, core.places, output.real_functions,
             static_cast<uint64_t>(odd)};
  return outputs_of(prepared_.host, e, output.bytes);
}

std::vector<Bytes> to_wire(const Executable& e, const std::vector<ByteSpan>& dense) {
  std::vector<Bytes> wire;
  for (size_t n = 0; n < dense.size(); ++n) {
    wire.emplace_back(dense[n].begin(), dense[n].end());
    if (n < e.inputs.size()) darwinn::flip_sign(wire.back(), e.inputs[n].data_type);
  }
  return wire;
}

Result<std::vector<Bytes>> to_dense(const Executable& e, std::vector<Bytes> tiled) {
  for (size_t n = 0; n < tiled.size(); ++n) {
    EDGETWIN_TRY_ASSIGN(const darwinn::Relayout relayout, darwinn::Relayout::make(e.outputs[n]));
    Bytes dense(relayout.dense_bytes());
    if (tiled[n].size() != relayout.tiled_bytes()) {
      return Error(ErrorCode::darwinn_layout, "the output has another size than its layout")
          .in_layer(e.outputs[n].name);
    }
    relayout.to_dense(tiled[n], dense);
    darwinn::flip_sign(dense, e.outputs[n].data_type);
    tiled[n] = std::move(dense);
  }
  return tiled;
}

Result<std::vector<Bytes>> Machine::run_dense(const std::vector<ByteSpan>& inputs) {
  const std::vector<Bytes> wire = to_wire(*inference_, inputs);
  EDGETWIN_TRY_ASSIGN(std::vector<Bytes> tiled,
                      run(std::vector<ByteSpan>(wire.begin(), wire.end())));
  return to_dense(*inference_, std::move(tiled));
}

}  // namespace edgetwin::edgetpu::machine
