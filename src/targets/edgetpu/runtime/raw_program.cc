#include "targets/edgetpu/runtime/raw_program.h"

#include "formats/darwinn/relocate.h"
#include "targets/edgetpu/driver/device_model.h"
#include "targets/edgetpu/machine/stream_machine.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu {
namespace {

using darwinn::BaseAddress;
using darwinn::Executable;

Error wrong_size(std::string_view what, size_t wanted, size_t given) {
  return Error(ErrorCode::device_request, "the program takes " + std::to_string(wanted) +
                                              " bytes of " + std::string(what) + ", given are " +
                                              std::to_string(given));
}

// The only executable of a file.
Result<Executable> only_executable(const darwinn::File& file) {
  const bool one = file.ops.size() == 1 && file.ops[0].packages.size() == 1 &&
                   file.ops[0].packages[0].executables.size() == 1;
  if (!one) {
    return Error(ErrorCode::edgetpu_no_program, "the file does not hold one program by itself")
        .with_hint("`extract` writes the programs of a compiled model as files.");
  }
  return file.ops[0].packages[0].executables[0];
}

darwinn::DmaHint hint_of(const Descriptor& d, BaseAddress base, const char* name, size_t offset) {
  darwinn::DmaHint h;
  h.kind = darwinn::HintKind::descriptor;
  h.meta = {base, 0, name, darwinn::Position::low};
  h.direction =
      base == BaseAddress::output ? darwinn::Direction::from_device : darwinn::Direction::to_device;
  h.offset = static_cast<int32_t>(offset);
  h.size = static_cast<int32_t>(d.length);
  return h;
}

darwinn::Layer layer_of(const char* name, darwinn::LayerKind kind, size_t bytes) {
  darwinn::Layer l;
  l.name = name;
  l.kind = kind;
  l.y_dim = l.x_dim = 1;
  l.z_dim = l.size_bytes = static_cast<int32_t>(bytes);
  return l;
}

// A hint for every transfer; data come in the order of the streams, whatever their addresses are.
Status add_hints(RawProgram& p) {
  constexpr uint64_t kMost = uint64_t{1} << 30U;
  darwinn::DmaHints hints;
  hints.fully_deterministic = true;
  for (size_t chunk = 0; chunk < p.executable.bitstreams.size(); ++chunk) {
    darwinn::DmaHint h;
    h.kind = darwinn::HintKind::instruction;
    h.chunk = static_cast<int32_t>(chunk);
    hints.hints.push_back(h);
  }
  for (const Descriptor& d : p.transfers) {
    size_t* total = d.tag == 1   ? &p.input_bytes
                    : d.tag == 2 ? &p.parameter_bytes
                    : d.tag == 3 ? &p.output_bytes
                                 : nullptr;
    if (total == nullptr) {
      darwinn::DmaHint h;
      h.kind = darwinn::HintKind::interrupt;
      h.interrupt = static_cast<int32_t>(d.tag) - static_cast<int32_t>(Tag::interrupt0);
      hints.hints.push_back(h);
      continue;
    }
    const BaseAddress base = d.tag == 1   ? BaseAddress::input
                             : d.tag == 2 ? BaseAddress::parameter
                                          : BaseAddress::output;
    hints.hints.push_back(hint_of(d, base,
                                  d.tag == 1   ? "input"
                                  : d.tag == 3 ? "output"
                                               : "",
                                  *total));
    *total += d.length;
    if (*total > kMost) {
      return Error(ErrorCode::device_request, "the program asks for more than 1 GiB in one run");
    }
  }
  p.executable.dma_hints = std::move(hints);
  return Ok{};
}

std::vector<Bytes> chunks_of(const RawProgram& p) {
  std::vector<Bytes> chunks;
  for (const darwinn::Bitstream& b : p.executable.bitstreams) chunks.push_back(b.data);
  return chunks;
}

Status check_input(const RawProgram& p, ByteSpan input) {
  if (input.size() == p.input_bytes) return Ok{};
  return wrong_size("input", p.input_bytes, input.size());
}

}  // namespace

Result<RawProgram> raw_program(const darwinn::File& file, ByteSpan parameters) {
  EDGETWIN_TRY_ASSIGN(const Executable found, only_executable(file));
  const Buffers buffers(found);
  RawProgram p;
  for (const darwinn::Bitstream& b : found.bitstreams) {
    EDGETWIN_TRY_ASSIGN(Bytes bytes, darwinn::relocate(b, [&](const darwinn::Meta& meta) {
                          return buffers.address(meta);
                        }));
    p.executable.bitstreams.push_back({std::move(bytes), {}, {}});
  }
  EDGETWIN_TRY_ASSIGN(const ScalarCore core, run_scalar(p.executable, Buffers(p.executable)));
  p.transfers = core.descriptors();
  EDGETWIN_TRY(add_hints(p));
  p.executable.type = darwinn::ExecutableType::stand_alone;
  p.executable.parameters = parameters.empty() ? found.parameters : to_bytes(parameters);
  if (p.executable.parameters.size() != p.parameter_bytes) {
    return wrong_size("parameters", p.parameter_bytes, p.executable.parameters.size())
        .with_hint(
            "Give the bytes that it takes with --weights; `extract` writes those of a "
            "compiled model.");
  }
  if (p.input_bytes != 0) {
    p.executable.inputs.push_back(layer_of("input", darwinn::LayerKind::input, p.input_bytes));
  }
  if (p.output_bytes != 0) {
    p.executable.outputs.push_back(layer_of("output", darwinn::LayerKind::output, p.output_bytes));
  }
  return p;
}

Result<Bytes> run_raw(const RawProgram& p, ByteSpan input) {
  EDGETWIN_TRY(check_input(p, input));
  machine::StreamMachine machine;
  EDGETWIN_TRY_ASSIGN(machine::StreamRun ran,
                      machine.run(0, chunks_of(p), input, p.executable.parameters));
  return std::move(ran.sent);
}

Result<Bytes> run_raw(const RawProgram& p, ByteSpan input, EdgeTpuDevice& device) {
  EDGETWIN_TRY(check_input(p, input));
  darwinn::Package package;
  package.min_runtime_version = darwinn::kCurrentRuntimeVersion;
  package.executables.push_back(p.executable);
  EDGETWIN_TRY_ASSIGN(const auto model, DeviceModel::make(package));
  std::vector<ByteSpan> inputs;
  if (p.input_bytes != 0) inputs.push_back(input);
  EDGETWIN_TRY_ASSIGN(std::vector<Bytes> outputs, device.run(model, inputs));
  return outputs.empty() ? Bytes() : std::move(outputs[0]);
}

}  // namespace edgetwin::edgetpu
