#include <unistd.h>
#include <iostream>

#include "base/file.h"
#include "cli/debug/arguments.h"
#include "cli/shared/exit_codes.h"
#include "formats/darwinn/relayout.h"
#include "targets/edgetpu/debugger/script.h"
#include "targets/edgetpu/driver/held_run.h"
#include "targets/edgetpu/runtime/raw_program.h"
#include "tensor/npy.h"
#include "twin/device.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// What the debugger's source points to.
struct Debugged {
  darwinn::File file;
  edgetpu::RawProgram raw;
  edgetpu::DebugSource source;
  const darwinn::Package* package = nullptr;  // of a model
  std::vector<Bytes> inputs;                  // of a model, as the host has them
};

// The bytes of an array, or of a file that is none.
Result<Bytes> bytes_of(const std::string& path) {
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(path));
  if (!as_text(ByteSpan(data)).starts_with("\x93NUMPY")) return data;
  EDGETWIN_TRY_ASSIGN(Tensor array, read_npy(data, path));
  return std::move(array.data);
}

Status open_raw(const DebugArguments& a, Debugged& d) {
  Bytes weights;
  if (!a.weights.empty()) {
    EDGETWIN_TRY_ASSIGN(weights, read_file(a.weights));
  }
  auto made = edgetpu::raw_program(d.file, weights);
  if (!made.ok()) return std::move(made).error().in_file(a.model);
  d.raw = std::move(*made);
  d.source.program = &d.raw.executable;
  d.source.raw = true;
  if (a.caching) {
    return Error(ErrorCode::usage, "--caching names a program of a model, and this is one program")
        .in_file(a.model);
  }
  Bytes input(d.raw.input_bytes);
  if (!a.inputs.empty()) {
    EDGETWIN_TRY_ASSIGN(input, bytes_of(a.inputs[0]));
  }
  if (a.inputs.size() <= 1 && input.size() == d.raw.input_bytes) {
    d.source.layers = {std::move(input)};
    return Ok{};
  }
  return Error(ErrorCode::device_request,
               "the program takes one input of " + std::to_string(d.raw.input_bytes) + " bytes")
      .in_file(a.model);
}

Status layers_of(const DebugArguments& a, const darwinn::Executable& e, Debugged& d) {
  if (!a.inputs.empty() && a.inputs.size() != e.inputs.size()) {
    return Error(ErrorCode::device_request, "the program has " + std::to_string(e.inputs.size()) +
                                                " inputs, given are " +
                                                std::to_string(a.inputs.size()))
        .in_file(a.model);
  }
  for (size_t n = 0; n < e.inputs.size(); ++n) {
    const darwinn::Layer& layer = e.inputs[n];
    const auto dense = static_cast<size_t>(layer.elements()) *
                       static_cast<size_t>(darwinn::bytes_of(layer.data_type));
    Bytes data(dense);
    if (!a.inputs.empty()) {
      EDGETWIN_TRY_ASSIGN(data, bytes_of(a.inputs[n]));
    }
    if (data.size() != dense) {
      return Error(ErrorCode::device_request, "input '" + layer.name + "' has " +
                                                  std::to_string(dense) + " bytes, given are " +
                                                  std::to_string(data.size()))
          .in_file(a.inputs[n]);
    }
    d.inputs.push_back(data);
    darwinn::flip_sign(data, layer.data_type);
    d.source.layers.push_back(std::move(data));
  }
  return Ok{};
}

Status open_model(const DebugArguments& a, Debugged& d) {
  if (!a.weights.empty()) {
    return Error(ErrorCode::usage, "--weights goes with a program without a model")
        .in_file(a.model)
        .with_hint("`patch --weights` gives a model other weights.");
  }
  const auto op = static_cast<size_t>(a.op);
  if (op >= d.file.ops.size() || d.file.ops[op].packages.empty()) {
    return Error(ErrorCode::edgetpu_no_program,
                 "the model has " + std::to_string(d.file.ops.size()) + " compiled operators")
        .in_file(a.model);
  }
  const darwinn::Package& package = d.file.ops[op].packages[0];
  d.package = &package;
  const darwinn::Executable* caching = package.find(darwinn::ExecutableType::parameter_caching);
  d.source.program = a.caching ? caching : package.inference();
  if (d.source.program == nullptr) {
    return Error(ErrorCode::edgetpu_no_program,
                 a.caching ? "the model keeps no parameters on the chip: nothing loads them"
                           : "the package has no program for inference")
        .in_file(a.model);
  }
  if (a.caching) return Ok{};
  d.source.before = caching;
  return layers_of(a, *d.source.program, d);
}

Status open_debugged(const DebugArguments& a, Debugged& d) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(d.file, darwinn::read(data, a.model));
  const bool model = d.file.container == darwinn::Container::tflite ||
                     d.file.container == darwinn::Container::package;
  return model ? open_model(a, d) : open_raw(a, d);
}

// A device that goes with the debugger's machine, instruction by instruction.
class DeviceBeside {
 public:
  static Result<std::unique_ptr<DeviceBeside>> open(const DebugArguments& a, const Debugged& d) {
    if (d.package == nullptr) {
      return Error(ErrorCode::usage, "--device needs a compiled model; this is a program alone")
          .in_file(a.model)
          .with_hint("`run --device` takes programs.");
    }
    if (twin::computes_source(a.device) || !a.device.reference.empty()) {
      return Error(ErrorCode::usage, "the debugger's device executes instructions, no source")
          .with_hint("Give --device virtual or usb, and no --reference.");
    }
    auto made = std::make_unique<DeviceBeside>();
    EDGETWIN_TRY_ASSIGN(made->bus_, twin::open_bus(a.device, 1));
    if (made->bus_.virtual_bus != nullptr) {
      EDGETWIN_TRY(made->bus_.virtual_bus->learn(d.file, nullptr, a.model));
    }
    edgetpu::HeldRun::Wanted wanted;
    wanted.path = made->bus_.path;
    wanted.options = twin::device_options(made->bus_, a.device);
    EDGETWIN_TRY_ASSIGN(wanted.model, edgetpu::DeviceModel::make(*d.package));
    wanted.inputs = d.inputs;
    wanted.caching = a.caching;
    EDGETWIN_TRY_ASSIGN(made->run_, edgetpu::HeldRun::start(*made->bus_.transport, wanted));
    return made;
  }

  // After an instruction of the debugger.
  Status step(const edgetpu::Debugger& debugger) {
    auto stepped = run_->step();
    if (!stepped.ok()) return cause_of(std::move(stepped).error());
    parted_ = std::move(*stepped);
    const bool same = run_->chunk() == debugger.chunk() && run_->pc() == debugger.pc();
    if (parted_.empty() && !same) parted_ = "the device is at another instruction";
    if (parted_.empty() && debugger.finished()) parted_ = end(debugger);
    if (parted_.empty()) return Ok{};
    return Error(ErrorCode::device_answer, parted_);
  }
  // Where device and machine are not the same any more; empty: they are.
  const std::string& parted() const { return parted_; }

  std::string verdict(const edgetpu::Debugger& debugger) const {
    const std::string steps = std::to_string(run_->steps()) + " instructions";
    if (!parted_.empty()) return "differs: after " + steps + " " + parted_;
    std::string text = "equal: " + steps + ", program counter and registers after each";
    if (debugger.finished()) {
      text += ", and " + std::to_string(run_->received().size()) + " bytes that were sent";
    }
    return text;
  }

 private:
  // What a virtual stick complained of is the cause, what the driver saw of it the consequence.
  Error cause_of(Error seen) const {
    const Status verdict = bus_.virtual_bus == nullptr ? Ok{} : bus_.virtual_bus->verdict();
    if (verdict.ok()) return seen;
    Error cause = verdict.error();
    cause.details.push_back("the driver saw: " + seen.message);
    return cause;
  }

  std::string end(const edgetpu::Debugger& debugger) const {
    if (!run_->finished()) return "the device has not ended";
    return run_->received() == debugger.sent() ? "" : "the bytes that were sent are others";
  }

  twin::DeviceBus bus_;
  std::unique_ptr<edgetpu::HeldRun> run_;  // goes before the bus
  std::string parted_;
};

// Gives one line after the other to the debugger.
class Conversation {
 public:
  Conversation(edgetpu::Debugger& debugger, Console& console, DeviceBeside* beside)
      : debugger_(debugger), script_(debugger), console_(console) {
    if (beside == nullptr) return;
    script_.follow([&debugger, beside] { return beside->step(debugger); });
  }

  // `echo`: the command is repeated before what it says.
  Status line(std::string_view command, bool echo) {
    if (script_.ended()) return Ok{};
    if (echo && !command.empty()) console_.print("> " + std::string(command) + "\n");
    EDGETWIN_TRY_ASSIGN(const std::string said, script_.line(command));
    console_.print(said);
    if (command.empty()) return Ok{};
    Json row = Json::object();
    said_.push(row.set("command", command).set("says", said));
    return Ok{};
  }
  bool ended() const { return script_.ended(); }

  void finish() {
    console_.json().set("commands", std::move(said_));
    console_.json().set("instructions", debugger_.steps()).set("ended", debugger_.finished());
  }

 private:
  edgetpu::Debugger& debugger_;
  edgetpu::DebugScript script_;
  Console& console_;
  Json said_ = Json::array();
};

Status run_script(std::string_view text, const std::string& file, Conversation& talk) {
  size_t number = 0;
  while (!text.empty() && !talk.ended()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    Status status = talk.line(text.substr(0, end), true);
    if (!status.ok()) {
      Error& error = status.error();
      error.place.file = file;
      error.place.line = static_cast<int>(number);
      return status;
    }
    text = text.substr(std::min(end + 1, text.size()));
  }
  return Ok{};
}

// At a terminal a mistake is said, and the next line is read.
Status run_standard_input(Conversation& talk, Console& console) {
  const bool terminal = isatty(STDIN_FILENO) != 0;
  std::string line;
  while (!talk.ended()) {
    if (terminal) console.print("> ");
    if (!std::getline(std::cin, line)) break;
    Status status = talk.line(line, !terminal);
    if (status.ok()) continue;
    if (!terminal) return status;
    console.error(status.error());
  }
  return Ok{};
}

// What is asked, from wherever it comes.
Status talk_all(const DebugArguments& a, Conversation& talk, Console& console) {
  if (!a.script.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(a.script));
    return run_script(as_text(ByteSpan(text)), a.script, talk);
  }
  if (a.commands.empty()) return run_standard_input(talk, console);
  for (const std::string& command : a.commands) EDGETWIN_TRY(talk.line(command, true));
  return Ok{};
}

}  // namespace

Result<int> execute(const DebugArguments& a, Console& console) {
  Debugged debugged;
  EDGETWIN_TRY(open_debugged(a, debugged));
  auto made = edgetpu::Debugger::make(debugged.source);
  if (!made.ok()) return std::move(made).error().in_file(a.model);
  if (a.inputs.empty() && !debugged.source.layers.empty()) {
    console.note("no --input: all inputs are zero");
  }
  std::unique_ptr<DeviceBeside> beside;
  if (!a.device.device.empty()) {
    EDGETWIN_TRY_ASSIGN(beside, DeviceBeside::open(a, debugged));
  }
  Conversation talk(**made, console, beside.get());
  const Status talked = talk_all(a, talk, console);
  const bool parted = beside != nullptr && !beside->parted().empty();
  if (!talked.ok() && !parted) return talked.error();
  talk.finish();
  if (beside == nullptr) return kYes;
  const std::string verdict = beside->verdict(**made);
  console.print(verdict + "\n");
  console.json().set("device", a.device.device).set("verdict", verdict);
  return parted ? kNo : kYes;
}

}  // namespace edgetwin::cli
