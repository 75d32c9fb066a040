#include "targets/edgetpu/machine/machine.h"

#include <algorithm>

#include "formats/darwinn/relayout.h"
#include "formats/darwinn/relocate.h"
#include "targets/edgetpu/isa/transfers.h"
#include "targets/edgetpu/machine/output.h"
#include "targets/edgetpu/machine/schedule.h"

namespace edgetwin::edgetpu::machine {
namespace {

using darwinn::Executable;

// What the scalar core asks of the host, in order.
Result<std::vector<Descriptor>> transfers_of(const Executable& e, const Buffers& buffers) {
  EDGETWIN_TRY_ASSIGN(const ScalarCore scalar, run_scalar(e, buffers));
  return scalar.descriptors();
}

// Which named buffer an address is in, and where.
struct Target {
  size_t layer = 0;
  uint64_t offset = 0;
};

std::optional<Target> target_of(const Buffers& buffers, darwinn::BaseAddress base,
                                const std::vector<darwinn::Layer>& layers, const Descriptor& d) {
  for (size_t n = 0; n < layers.size(); ++n) {
    const auto start = buffers.address({base, 0, layers[n].name, darwinn::Position::low});
    if (!start || d.address < *start) continue;
    const uint64_t offset = d.address - *start;
    if (offset < (uint64_t{1} << 32U)) return Target{n, offset};
  }
  return std::nullopt;
}

Result<Steps> steps_of(const Executable& e) {
  std::vector<ByteSpan> chunks;
  for (const darwinn::Bitstream& b : e.bitstreams) chunks.emplace_back(b.data);
  return make_steps(chunks, std::string(darwinn::name(e.type)));
}

void prepare(Core& core, const Executable& e, Steps steps) {
  core.program = std::string(darwinn::name(e.type));
  core.steps = std::move(steps);
  core.parameters = e.parameters;
  core.places = 0;
  core.memory = 0;
  core.inputs.clear();
  for (auto& direction : core.mesh) direction.fill({});
  for (Tile& t : core.tiles) {
    t.narrow_streams.clear();
    t.wide_streams.clear();
    t.leaving_streams.clear();
    t.header_streams.clear();
    t.function.reset();
    t.biases = {};
    t.scales = {};
  }
}

Error unexpected(const Core& core, const Descriptor& d, const Buffers& buffers, std::string what) {
  return Error(ErrorCode::chip_stream, std::move(what))
      .in_file(core.program)
      .detail(tag_text(d.tag) + " of " + std::to_string(d.length) + " bytes, " +
              buffers.describe(d.address));
}

}  // namespace

Result<Machine> Machine::make(const darwinn::Package& package, MachineLimits limits) {
  Machine m;
  m.inference_ = package.inference();
  if (m.inference_ == nullptr) {
    return Error(ErrorCode::chip_stream, "the package has no program for inference");
  }
  m.core_ = std::make_unique<Core>();
  m.core_->limits = limits;
  if (const Executable* caching = package.find(darwinn::ExecutableType::parameter_caching)) {
    EDGETWIN_TRY_ASSIGN(Steps steps, steps_of(*caching));
    prepare(*m.core_, *caching, std::move(steps));
    EDGETWIN_TRY(transfers_of(*caching, Buffers(*caching)));
    EDGETWIN_TRY(run_steps(*m.core_));
  }
  // What cannot be executed is said before anything runs.
  EDGETWIN_TRY_ASSIGN(m.steps_, steps_of(*m.inference_));
  return m;
}

Result<std::vector<Bytes>> Machine::run(const std::vector<ByteSpan>& inputs) {
  const Executable& e = *inference_;
  Core& core = *core_;
  prepare(core, e, steps_);
  const Buffers buffers(e);
  EDGETWIN_TRY_ASSIGN(const std::vector<Descriptor> transfers, transfers_of(e, buffers));
  if (inputs.size() != e.inputs.size()) {
    return Error(ErrorCode::chip_stream, "the program takes another number of inputs")
        .detail(std::to_string(e.inputs.size()) + ", given are " + std::to_string(inputs.size()));
  }
  for (const Descriptor& d : transfers) {
    if (d.tag != static_cast<uint32_t>(Tag::input)) continue;
    const auto to = target_of(buffers, darwinn::BaseAddress::input, e.inputs, d);
    if (!to) return unexpected(core, d, buffers, "the program reads what is no input");
    const ByteSpan from = inputs[to->layer];
    Bytes part(d.length);  // padding is zero
    if (to->offset < from.size()) {
      const size_t n = std::min<size_t>(d.length, from.size() - to->offset);
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(to->offset), n, part.begin());
    }
    core.inputs.push_back(std::move(part));
  }
  EDGETWIN_TRY(run_steps(core));
  EDGETWIN_TRY_ASSIGN(const Output output, output_of(core, e, buffers));
  const Bytes& sent = output.bytes;
  report_ = {core.steps.instructions, core.places, output.real_functions};

  std::vector<Bytes> outputs(e.outputs.size());
  for (size_t n = 0; n < outputs.size(); ++n) {
    outputs[n].resize(static_cast<size_t>(std::max(0, e.outputs[n].size_bytes)));
  }
  size_t at = 0;
  for (const Descriptor& d : transfers) {
    if (d.tag != static_cast<uint32_t>(Tag::output)) continue;
    const auto to = target_of(buffers, darwinn::BaseAddress::output, e.outputs, d);
    if (!to || to->offset + d.length > outputs[to->layer].size()) {
      return unexpected(core, d, buffers, "the program writes what is no output");
    }
    if (sent.size() - at < d.length) {
      return unexpected(core, d, buffers, "the program sends less than it announces");
    }
    std::copy_n(sent.begin() + static_cast<std::ptrdiff_t>(at), d.length,
                outputs[to->layer].begin() + static_cast<std::ptrdiff_t>(to->offset));
    at += d.length;
  }
  if (at != sent.size()) {
    return Error(ErrorCode::chip_stream, "the program sends more than it announces")
        .in_file(core.program)
        .detail(std::to_string(sent.size()) + " bytes, announced are " + std::to_string(at));
  }
  return outputs;
}

Result<std::vector<Bytes>> Machine::run_dense(const std::vector<ByteSpan>& inputs) {
  const Executable& e = *inference_;
  std::vector<Bytes> wire;
  for (size_t n = 0; n < inputs.size(); ++n) {
    wire.emplace_back(inputs[n].begin(), inputs[n].end());
    if (n < e.inputs.size()) darwinn::flip_sign(wire.back(), e.inputs[n].data_type);
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Bytes> tiled,
                      run(std::vector<ByteSpan>(wire.begin(), wire.end())));
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

}  // namespace edgetwin::edgetpu::machine
