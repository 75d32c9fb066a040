// `run` of a program without a model.
#include "base/file.h"
#include "cli/run/kinds.h"
#include "cli/run/outputs.h"
#include "cli/run/run_output.h"
#include "cli/shared/exit_codes.h"
#include "targets/edgetpu/runtime/raw_program.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Status refuse_for_raw(const RunArguments& a) {
  const char* option = !a.trace.empty()              ? "--trace"
                       : !a.decode.empty()           ? "--decode"
                       : !a.report.empty()           ? "--report"
                       : !a.labels.empty()           ? "--labels"
                       : !a.device.record.empty()    ? "--record"
                       : !a.device.reference.empty() ? "--reference"
                                                     : nullptr;
  if (option == nullptr) return Ok{};
  return Error(ErrorCode::usage,
               std::string(option) + " needs a model, and this is a program without one")
      .in_file(a.model)
      .with_hint("Leave " + std::string(option) + " out.");
}

// The numbers of an array, or the bytes of a file that is none.
Result<Bytes> raw_input(const RunArguments& a) {
  if (a.inputs.empty()) return Bytes();
  if (a.inputs.size() > 1) {
    return Error(ErrorCode::usage, "the program takes one stream of input, given are " +
                                       std::to_string(a.inputs.size()) + " files")
        .in_file(a.model);
  }
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(a.inputs[0]));
  if (!as_text(ByteSpan(data)).starts_with("\x93NUMPY")) return data;
  EDGETWIN_TRY_ASSIGN(Tensor array, read_npy(data, a.inputs[0]));
  return std::move(array.data);
}

Tensor tensor_of(Bytes bytes) {
  Tensor t;
  t.name = "output";
  t.dtype = DType::uint8;
  t.shape = Shape({static_cast<int64_t>(bytes.size())});
  t.data = std::move(bytes);
  return t;
}

Result<Bytes> compute_raw(const RunArguments& a, const edgetpu::RawProgram& program,
                          ByteSpan input) {
  if (a.device.device.empty()) return edgetpu::run_raw(program, input);
  EDGETWIN_TRY_ASSIGN(const twin::DeviceBus bus, twin::open_bus(a.device, 1));
  EDGETWIN_TRY_ASSIGN(const auto device, twin::open_device(bus, a.device));
  auto made = edgetpu::run_raw(program, input, *device);
  if (made.ok() || bus.virtual_bus == nullptr) return made;
  const Status verdict = bus.virtual_bus->verdict();
  return verdict.ok() ? std::move(made) : Result<Bytes>(verdict.error());
}

}  // namespace

Result<int> run_raw_program(const RunArguments& a, ByteSpan data, Console& console) {
  EDGETWIN_TRY(refuse_for_raw(a));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, a.model));
  Bytes weights;
  if (!a.max78.weights.empty()) {
    EDGETWIN_TRY_ASSIGN(weights, read_file(a.max78.weights));
  }
  auto program = edgetpu::raw_program(file, weights);
  if (!program.ok()) return std::move(program).error().in_file(a.model);
  EDGETWIN_TRY_ASSIGN(const Bytes input, raw_input(a));
  EDGETWIN_TRY_ASSIGN(OutputFolders folders, open_folders(a));
  auto sent = compute_raw(a, *program, input);
  if (!sent.ok()) return std::move(sent).error().in_file(a.model);
  const std::vector<Tensor> outputs = {tensor_of(std::move(*sent))};
  Json origin = Json::object();
  origin.set("model", a.model).set("computed_by", a.device.device.empty() ? "machine" : "device");
  origin.set("input_bytes", program->input_bytes).set("parameter_bytes", program->parameter_bytes);
  if (folders.output) {
    EDGETWIN_TRY(write_outputs(outputs, origin, std::nullopt, *folders.output));
    EDGETWIN_TRY(commit(folders));
  }
  console.json().merge(origin).set("outputs", outputs_json(outputs));
  console.print("program: " + std::to_string(program->input_bytes) + " bytes of input, " +
                std::to_string(program->parameter_bytes) + " of parameters, " +
                std::to_string(outputs[0].data.size()) + " sent back\n");
  if (a.output.empty() && !outputs[0].data.empty()) print_summary(outputs, console);
  if (!a.repeat) return kYes;
  EDGETWIN_TRY_ASSIGN(const Bytes again, compute_raw(a, *program, input));
  const bool equal = again == outputs[0].data;
  console.json().set("repeatable", equal);
  console.print(equal ? "equal: the second run gave the same bits\n"
                      : "different: the second run gave other bits\n");
  return equal ? kYes : kNo;
}

}  // namespace edgetwin::cli
