#include <optional>

#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "targets/edgetpu/inspect/program_diff.h"
#include "targets/edgetpu/synthesize/synthesize.h"
#include "twin/load.h"

namespace edgetwin::cli {
namespace {

using edgetpu::Family;
using edgetpu::Member;
using report::Json;

// What is asked for: a model's layer, or a member of a family by its numbers, whose weights are
// zero then.
struct Wanted {
  Model source;
  bool weights = false;
  edgetpu::Synthesized made;
};

Result<Member> member_of_numbers(const SynthesizeArguments& a) {
  Member m;
  const bool dense = a.what == "dense";
  const bool of_other = dense ? a.height || a.width || a.channels : a.size.has_value();
  if (of_other) {
    return Error(ErrorCode::usage, dense ? "--height, --width and --channels are of conv3x3"
                                         : "--size is of dense, which has no --height and --width")
        .with_hint("Leave out what belongs to the other family.");
  }
  m.family = dense ? Family::dense : Family::conv3x3;
  constexpr int kMiddle = 128;
  m.size = a.size.value_or(0);
  m.height = a.height.value_or(0);
  m.width = a.width.value_or(0);
  m.channels = a.channels.value_or(0);
  m.input_zero_point = a.input_zero_point.value_or(kMiddle);
  m.output_zero_point = a.output_zero_point.value_or(kMiddle);
  m.output_scale = static_cast<float>(a.output_scale.value_or(0.0));
  if (!a.output_scale) {
    return Error(ErrorCode::usage, "the scale of the output is missing")
        .with_hint("Add --output-scale: the limits of the result are computed with it.");
  }
  return m;
}

// A file says all of it itself.
Status refuse_numbers(const SynthesizeArguments& a) {
  const std::pair<bool, const char*> numbers[] = {
      {a.size.has_value(), "--size"},
      {a.height.has_value(), "--height"},
      {a.width.has_value(), "--width"},
      {a.channels.has_value(), "--channels"},
      {a.input_zero_point.has_value(), "--input-zero-point"},
      {a.output_scale.has_value(), "--output-scale"},
      {a.output_zero_point.has_value(), "--output-zero-point"}};
  for (const auto& [given, option] : numbers) {
    if (!given) continue;
    return Error(
               ErrorCode::usage,
               std::string(option) + " changes nothing: it is of dense and conv3x3 without a file")
        .with_hint(std::string("Leave ") + option + " out.");
  }
  return Ok{};
}

// The streams of a file, by what they are for.
struct Streams {
  const darwinn::Executable* execution = nullptr;
  const darwinn::Executable* caching = nullptr;
};

Streams streams_of(const darwinn::File& file) {
  Streams s;
  for (const darwinn::CompiledOp& op : file.ops) {
    for (const darwinn::Package& package : op.packages) {
      for (const darwinn::Executable& e : package.executables) {
        if (e.bitstreams.size() != 1) continue;
        if (e.type == darwinn::ExecutableType::execution_only) s.execution = &e;
        if (e.type == darwinn::ExecutableType::parameter_caching) s.caching = &e;
      }
    }
  }
  return s;
}

// The layer that a compiled file says it is.
Result<Member> member_of_file(const darwinn::File& file, const std::string& name) {
  const Streams s = streams_of(file);
  if (s.execution == nullptr || s.execution->inputs.size() != 1 ||
      s.execution->outputs.size() != 1 || !s.execution->inputs[0].numerics ||
      !s.execution->outputs[0].numerics) {
    return Error(ErrorCode::synthesize_model,
                 "the file does not hold the program of one layer with one input and one output")
        .in_file(name);
  }
  const darwinn::Layer& in = s.execution->inputs[0];
  const darwinn::Layer& out = s.execution->outputs[0];
  Member m;
  m.family = in.y_dim * in.x_dim == 1 ? Family::dense : Family::conv3x3;
  m.size = in.z_dim;
  m.height = in.y_dim;
  m.width = in.x_dim;
  m.channels = in.z_dim;
  m.input_zero_point = in.numerics->zero_point;
  m.output_zero_point = out.numerics->zero_point;
  m.output_scale = out.numerics->factor;
  return m;
}

Result<Wanted> of_member(const Result<Member>& member) {
  if (!member.ok()) return member.error();
  Wanted w;
  EDGETWIN_TRY_ASSIGN(w.source, model_of(*member));
  EDGETWIN_TRY_ASSIGN(w.made, edgetpu::synthesize(w.source));
  w.made.package.executables[1].parameters.clear();
  return w;
}

Result<Wanted> wanted(const SynthesizeArguments& a, const std::optional<darwinn::File>& against) {
  if (a.what == "conv3x3" || a.what == "dense") return of_member(member_of_numbers(a));
  EDGETWIN_TRY(refuse_numbers(a));
  if (a.what.empty()) {
    if (!against) {
      return Error(ErrorCode::usage, "nothing says what should be made")
          .with_hint("Name a .tflite model, conv3x3 or dense, or a file to --check-against.");
    }
    return of_member(member_of_file(*against, a.against));
  }
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(a.what));
  Wanted w;
  w.source = *loaded.model;
  w.weights = true;
  Result<edgetpu::Synthesized> made = edgetpu::synthesize(w.source);
  if (!made.ok()) return Error(made.error()).in_file(a.what);
  w.made = std::move(*made);
  return w;
}

// One line for each stream: what is known of it.
void describe(const edgetpu::Synthesized& made, Console& console) {
  const darwinn::Package& package = made.package;
  Json streams = Json::array();
  const auto add = [&](const darwinn::Executable& e, edgetpu::Standing standing) {
    const auto bytes = static_cast<int64_t>(e.bitstreams[0].data.size());
    console.print("  " + std::string(name(e.type)) + ": " + report::bytes_text(bytes) + "; " +
                  std::string(text(standing)) + "\n");
    Json j = Json::object();
    j.set("type", name(e.type)).set("bytes", bytes).set("standing", text(standing));
    streams.push(std::move(j));
  };
  console.print(text(made.member) + "\n");
  add(package.executables[0], standing_of_execution(made.member));
  add(package.executables[1], standing_of_caching(made.member));
  console.json().set("layer", text(made.member)).set("streams", std::move(streams));
}

Status dump(const SynthesizeArguments& a, const Wanted& w) {
  const darwinn::Package& package = w.made.package;
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.dump.folder());
  EDGETWIN_TRY(folder.write("eo.bin", package.executables[0].bitstreams[0].data));
  EDGETWIN_TRY(folder.write("pc.bin", package.executables[1].bitstreams[0].data));
  if (w.weights) EDGETWIN_TRY(folder.write("params.bin", package.executables[1].parameters));
  return folder.commit();
}

// Where a made stream is not the compiler's.
std::vector<std::string> differences(const darwinn::Executable& made,
                                     const darwinn::Executable& compiled) {
  std::vector<std::string> lines;
  const std::string what(name(made.type));
  if (made.bitstreams[0].data != compiled.bitstreams[0].data) {
    const auto diff = edgetpu::compare(made.bitstreams[0], compiled.bitstreams[0]);
    for (const edgetpu::InstructionChange& change : diff.changes) {
      std::string line = what + ", word " + std::to_string(change.word_a) + ", " + change.name;
      for (const edgetpu::FieldChange& field : change.fields) line += " " + field.field;
      lines.push_back(line);
    }
    if (lines.empty()) lines.push_back(what + ": bytes that the driver overwrites");
  }
  if (!made.parameters.empty() && made.parameters != compiled.parameters) {
    lines.push_back(what + ": parameters");
  }
  return lines;
}

// 0 equal, 1 not.
Result<int> check_against(const SynthesizeArguments& a, const darwinn::File& file,
                          const darwinn::Package& package, Console& console) {
  const Streams compiled = streams_of(file);
  std::vector<std::string> lines;
  std::string compared;
  const auto hold = [&](const darwinn::Executable& made, const darwinn::Executable* other) {
    if (other == nullptr) return;
    compared += (compared.empty() ? "" : " and ") + std::string(name(made.type));
    if (!made.parameters.empty()) compared += " with parameters";
    const auto found = differences(made, *other);
    lines.insert(lines.end(), found.begin(), found.end());
  };
  hold(package.executables[0], compiled.execution);
  hold(package.executables[1], compiled.caching);
  if (compared.empty()) {
    return Error(ErrorCode::synthesize_model, "the file holds no stream to compare with")
        .in_file(a.against);
  }
  for (const std::string& line : lines) console.print("  " + line + "\n");
  const std::string verdict = lines.empty() ? "equal: " + compared + " of '" + a.against + "'"
                                            : "different: first " + lines.front();
  console.print(verdict + "\n");
  console.json().set("verdict", verdict).set("equal", lines.empty());
  console.json().set("differences", Json::list(lines));
  return lines.empty() ? kYes : kNo;
}

Status write_model(const SynthesizeArguments& a, const Wanted& w, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes file, compiled_model(w.source, w.made));
  EDGETWIN_TRY(a.output.write(ByteSpan(file)));
  console.print(a.output.path + ": " + report::bytes_text(static_cast<int64_t>(file.size())) +
                "\n");
  console.json().set("output", a.output.path);
  return Ok{};
}

}  // namespace

Result<int> execute(const SynthesizeArguments& a, Console& console) {
  std::optional<darwinn::File> against;
  if (!a.against.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.against));
    EDGETWIN_TRY_ASSIGN(against, darwinn::read(data, a.against));
  }
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(Wanted w, wanted(a, against));
  if (!a.output.empty() && !w.weights) {
    return Error(ErrorCode::usage, "a compiled model needs weights, and sizes alone have none")
        .with_hint("Name a .tflite model, or write the streams with --dump.");
  }
  describe(w.made, console);
  if (!a.dump.empty()) EDGETWIN_TRY(dump(a, w));
  if (!a.output.empty()) EDGETWIN_TRY(write_model(a, w, console));
  return against ? check_against(a, *against, w.made.package, console) : Result<int>(kYes);
}

}  // namespace edgetwin::cli
