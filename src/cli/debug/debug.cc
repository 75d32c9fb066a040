#include <unistd.h>
#include <iostream>

#include "base/file.h"
#include "cli/debug/arguments.h"
#include "cli/shared/exit_codes.h"
#include "formats/darwinn/relayout.h"
#include "targets/edgetpu/debugger/script.h"
#include "targets/edgetpu/runtime/raw_program.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// What the debugger's source points to.
struct Debugged {
  darwinn::File file;
  edgetpu::RawProgram raw;
  edgetpu::DebugSource source;
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

// Gives one line after the other to the debugger.
class Conversation {
 public:
  Conversation(edgetpu::Debugger& debugger, Console& console)
      : debugger_(debugger), script_(debugger), console_(console) {}

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

}  // namespace

Result<int> execute(const DebugArguments& a, Console& console) {
  Debugged debugged;
  EDGETWIN_TRY(open_debugged(a, debugged));
  auto made = edgetpu::Debugger::make(debugged.source);
  if (!made.ok()) return std::move(made).error().in_file(a.model);
  if (a.inputs.empty() && !debugged.source.layers.empty()) {
    console.note("no --input: all inputs are zero");
  }
  Conversation talk(**made, console);
  if (!a.script.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(a.script));
    EDGETWIN_TRY(run_script(as_text(ByteSpan(text)), a.script, talk));
  } else if (!a.commands.empty()) {
    for (const std::string& command : a.commands) EDGETWIN_TRY(talk.line(command, true));
  } else {
    EDGETWIN_TRY(run_standard_input(talk, console));
  }
  talk.finish();
  return kYes;
}

}  // namespace edgetwin::cli
