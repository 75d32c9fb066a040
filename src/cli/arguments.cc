#include "cli/arguments.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <CLI/CLI.hpp>

#include "cli/arguments_decode.h"
#include "cli/arguments_device.h"
#include "cli/arguments_edgetpu.h"
#include "cli/arguments_espdl.h"
#include "cli/arguments_machine.h"
#include "cli/arguments_max78.h"
#include "cli/arguments_silicon.h"
#include "cli/version.h"
#include "ops/flavours.h"

namespace edgetwin::cli {
namespace {

constexpr int kMaxThreads = 256;
constexpr int kMaxRuns = 1000000;

// An empty text where the word is fine, as the parser wants it.
std::string at_least_zero(const std::string& word) {
  double value = 0.0;
  const bool good = CLI::detail::lexical_cast(word, value) && std::isfinite(value) && value >= 0.0;
  return good ? "" : "'" + word + "' is not a number of at least 0";
}

std::string not_empty(const std::string& word) { return word.empty() ? "the name is empty" : ""; }

constexpr const char* kAbout =
    "Computes neural networks for small accelerators bit for bit as the chip does.";

void add_common(CLI::App* app, ConsoleOptions& console) {
  static const std::map<std::string, Color> kColors = {
      {"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}};
  app->add_flag("--json", console.json, "One JSON document on standard output, also on failure")
      ->group("Output");
  app->add_flag("-q,--quiet", console.quiet, "Only errors on standard error")
      ->option_text(" ")
      ->group("Output");
  app->add_flag("-v,--verbose", console.verbose, "Notes on standard error too")
      ->option_text(" ")
      ->group("Output")
      ->excludes("--quiet");
  app->add_option_function<std::string>(
         "--color", [&console](const std::string& word) { console.color = kColors.at(word); },
         "Colour the words error and warning: auto, always or never;\nNO_COLOR is obeyed")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->option_text("WHEN")
      ->group("Output");
}

std::string numerics_help() {
  std::string text = "The arithmetic; without it that of the model's format and target:";
  for (const ops::FlavourInfo& f : ops::flavours()) {
    text += "\n  " + std::string(f.name) + ": " + std::string(f.summary);
  }
  return text;
}

void add_compute(CLI::App* app, ComputeArguments& compute) {
  app->add_option("--numerics", compute.numerics, numerics_help())->option_text("NAME");
  app->add_option("--threads", compute.threads, "Threads, 1 to 256; results do not depend on it")
      ->check(CLI::Range(1, kMaxThreads))
      ->option_text("N");
  app->add_flag("--plain", compute.plain, "Only the plain operators, which define the results")
      ->option_text(" ");
  app->add_option("--isa", compute.isa, "Force an instruction set; without it the best is taken")
      ->option_text("NAME")
      ->excludes("--plain");
  add_shapes(app, compute.shapes);
  add_espdl_compute(app, compute);
}

void add_inputs(CLI::App* app, std::vector<std::string>& inputs) {
  app->add_option(
         "-i,--input", inputs,
         "A model input: .npy, .npz, picture (PNG, JPEG, BMP) or xs32:SEED;\nonce per input in "
         "the model's order, or as NAME=FILE")
      ->check(not_empty)
      ->option_text("X")
      ->allow_extra_args(false);
}

void add_info(CLI::App& app, InfoArguments& a) {
  CLI::App* verb = app.add_subcommand("info", "What a file is and what is inside");
  verb->add_option(
          "FILE", a.files,
          "Models (.tflite, .espdl, .onnx), arrays (.npy, .npz), pictures (PNG, JPEG, BMP)")
      ->required()
      ->option_text(" ");
  verb->add_option("--companions", a.companions,
                   "Folder for NAME.info and NAME.json, as ESP-DL's exporter writes them")
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_option("--key", a.key, "The 16 bytes of an encrypted .espdl file, hexadecimal")
      ->option_text("HEX");
  add_shapes(verb, a.shapes);
  verb->add_flag("--force", a.force, "Overwrite existing companions");
  verb->add_flag("--program", a.program,
                 "Of a compiled Edge TPU model: its layers with instructions, tiles and memory");
  verb->add_option("--target", a.target, "Of a network .yaml: max78000 or max78002")
      ->check(not_empty)
      ->option_text("CHIP");
  verb->footer("Example:\n  edgetwin info model.tflite");
}

void add_run(CLI::App& app, RunArguments& a) {
  CLI::App* verb = app.add_subcommand("run", "Computes a model");
  verb->add_option("MODEL", a.model,
                   "A .tflite, .espdl or .onnx file, or a network .yaml for a MAX78000")
      ->required()
      ->option_text(" ");
  add_inputs(verb, a.inputs);
  add_compute(verb, a.compute);
  verb->add_option("-o,--output", a.output,
                   "Folder for output_0.npy, … and outputs.json;\nwithout it a summary is printed")
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_option("--trace", a.trace, "Folder for every tensor, with trace.json")
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_option("--labels", a.labels, "Text file, a class per line: prints the best five")
      ->check(not_empty)
      ->option_text("FILE");
  add_decode(verb, a);
  verb->add_option("--report", a.html, "Also writes the report, see edgetwin report")
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_flag(
      "--repeat", a.repeat,
      "Computes a second time from the start;\nexit code 1 unless both give the same bits");
  verb->add_flag("--force", a.force, "Overwrite existing outputs");
  add_device(verb, a.device, true);
  add_run_machine(verb, a);
  verb->footer("Example:\n  edgetwin run model.tflite --input picture.png -o out");
}

void add_diff(CLI::App& app, DiffArguments& a) {
  CLI::App* verb = app.add_subcommand("diff", "Equal or not, and where not first");
  const char* kinds = "An array (.npy, .npz), picture, model, or folder (trace or output)";
  verb->add_option("A", a.a, kinds)->required()->option_text(" ");
  verb->add_option("B", a.b, "The same kind of thing")->required()->option_text(" ");
  verb->add_option("--tolerance", a.tolerance,
                   "Elements that differ by at most so much count as equal;\n0 is bit for bit")
      ->check(at_least_zero)
      ->option_text("X");
  verb->footer("Example:\n  edgetwin diff trace_of_board trace_of_twin");
}

void add_bench(CLI::App& app, BenchArguments& a) {
  CLI::App* verb = app.add_subcommand("bench", "Measures how long a model takes here");
  verb->add_option("MODEL", a.model, "A .tflite or .espdl file")->required()->option_text(" ");
  add_inputs(verb, a.inputs);
  add_compute(verb, a.compute);
  verb->add_option("--runs", a.runs, "Measured runs; 50 without it")
      ->check(CLI::Range(1, kMaxRuns))
      ->option_text("N");
  add_device(verb, a.device, false);
  verb->footer("Example:\n  edgetwin bench model.tflite --threads 2");
}

void add_report(CLI::App& app, ReportArguments& a) {
  CLI::App* verb = app.add_subcommand("report", "Computes a model and writes a page about it");
  verb->add_option("MODEL", a.model, "A .tflite or .espdl file")->required()->option_text(" ");
  add_inputs(verb, a.inputs);
  add_compute(verb, a.compute);
  verb->add_option("-o,--output", a.output, "The page: one HTML file that needs no network")
      ->required()
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_option(
          "--reference", a.reference,
          "Folder of expected tensors, .npy by tensor name or a trace;\nexit code 1 if they "
          "differ")
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_option("--tolerance", a.tolerance, "As of edgetwin diff")
      ->check(at_least_zero)
      ->option_text("X");
  verb->add_flag("--force", a.force, "Overwrite an existing page");
  verb->footer("Example:\n  edgetwin report model.tflite --input xs32:1 -o model.html");
}

void add_verify(CLI::App& app, VerifyArguments& a) {
  CLI::App* verb = app.add_subcommand(
      "verify", "Model, file, register program or device's log against what they must be");
  verb->add_option(
          "MODEL", a.model,
          "An .espdl file, or a register program; or a .tflite file, whose layers are\n"
          "compared in TensorFlow Lite's arithmetic and that of --numerics, edgetpu without "
          "it")
      ->option_text(" ");
  add_inputs(verb, a.inputs);
  verb->add_option("--log", a.logs, "What a chip printed; once per log")
      ->check(not_empty)
      ->option_text("FILE")
      ->allow_extra_args(false);
  verb->add_option("--report", a.html, "Also writes a page: one HTML file that needs no network")
      ->check(not_empty)
      ->option_text("FILE");
  verb->add_flag("--force", a.force, "Overwrite an existing page");
  add_compute(verb, a.compute);
  add_max78_verify(verb, a);
  add_device(verb, a.device, false);
  // The machine is held against the reference too.
  verb->get_option("--reference")->remove_needs(verb->get_option("--device"));
  add_silicon_verify(verb, a);
  verb->footer("Example:\n  edgetwin verify model.espdl --target esp32s3");
}

void add_firmware(CLI::App& app, FirmwareArguments& a) {
  CLI::App* verb = app.add_subcommand(
      "firmware", "Writes an ESP-IDF application that proves models on the chip");
  verb->add_option("MODEL", a.models, ".espdl files")->required()->option_text(" ");
  add_inputs(verb, a.inputs);
  add_compute(verb, a.compute);
  verb->add_option("-o,--output", a.output, "Folder of the application")
      ->required()
      ->check(not_empty)
      ->option_text("DIR");
  verb->add_option("--place", a.place, "Where the models lie: rodata or partition")
      ->check(CLI::IsMember({"rodata", "partition"}))
      ->option_text("PLACE");
  verb->add_flag("--lut", a.lut, "Also sweeps every look-up table over all inputs");
  verb->add_flag("--force", a.force, "Overwrite existing files");
  verb->footer("Example:\n  edgetwin firmware model.espdl --target esp32s3 --lut -o app");
}

void add_explain(CLI::App& app, ExplainArguments& a) {
  CLI::App* verb = app.add_subcommand("explain", "What an error id means, and what to try");
  verb->add_option("ID", a.id, "The id in an error's brackets; without it all are listed")
      ->option_text(" ");
  verb->footer("Example:\n  edgetwin explain FMT-NPY-01");
}

// The values that the parser fills.
struct Targets {
  ConsoleOptions console;
  PackArguments pack;
  UnpackArguments unpack;
  CheckArguments check;
  CompileArguments compile;
  DisasmArguments disasm;
  AsmArguments assemble;
  SynthesizeArguments synthesize;
  QuantizeArguments quantize;
  VerifyArguments verify;
  FirmwareArguments firmware;
  InfoArguments info;
  RunArguments run;
  DiffArguments diff;
  BenchArguments bench;
  ReportArguments report;
  ExplainArguments explain;
  LutArguments lut;
  ParamsArguments params;
  DecompileArguments decompile;
  PatchArguments patch;
  DevicesArguments devices;
  TemplateArguments templates;
  DemoArguments demo;
};

// The subcommand that was chosen, however deep; the program itself if none was.
const CLI::App* chosen_of(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return chosen;
}

// "info", "lut build"
std::string command_of(const CLI::App& app) {
  std::string words;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    words += (words.empty() ? "" : " ") + at->get_name();
  }
  return words;
}

void finish_verb(CLI::App* verb, ConsoleOptions& console) {
  verb->set_help_flag("-h,--help", "This text");
  verb->get_formatter()->column_width(24);
  const auto subcommands = verb->get_subcommands({});
  if (subcommands.empty()) add_common(verb, console);
  for (CLI::App* below : subcommands) finish_verb(below, console);
}

void declare(CLI::App& app, Targets& t) {
  app.require_subcommand(1);
  app.set_version_flag(
      "-V,--version", [] { return version_text(); }, "Version, build and formats");
  app.set_help_flag("-h,--help", "This text");
  app.footer(
      "Exit codes: 0 yes, 1 the answer is no, 2 wrong use, 3 unusable input, 4 environment, "
      "70 our bug.\nExample:\n  edgetwin info model.tflite");
  add_info(app, t.info);
  add_run(app, t.run);
  add_max78_inputs(app.get_subcommand("run"), t.run.max78);
  add_check(app, t.check);
  add_max78_inputs(app.get_subcommand("check"), t.check.max78);
  add_max78_page(app.get_subcommand("check"), t.check.max78);
  add_input_shape(app.get_subcommand("check"), t.check.max78);
  add_max78_inputs(app.get_subcommand("info"), t.info.max78);
  add_input_shape(app.get_subcommand("info"), t.info.max78);
  add_compile(app, t.compile);
  add_quantize(app, t.quantize);
  add_verify(app, t.verify);
  add_diff(app, t.diff);
  add_bench(app, t.bench);
  add_report(app, t.report);
  add_lut(app, t.lut);
  add_firmware(app, t.firmware);
  add_pack(app, t.pack);
  add_unpack(app, t.unpack);
  add_disasm(app, t.disasm);
  add_asm(app, t.assemble);
  add_decompile(app, t.decompile);
  add_synthesize(app, t.synthesize);
  add_params(app, t.params);
  add_patch(app, t.patch);
  add_devices(app, t.devices);
  add_template(app, t.templates);
  add_demo(app, t.demo);
  add_explain(app, t.explain);
  for (CLI::App* verb : app.get_subcommands({})) finish_verb(verb, t.console);
}

Arguments collect(const CLI::App& app, Targets& t) {
  Arguments a;
  const std::string verb = command_of(app);
  a.console = t.console;
  a.console.command = verb;
  if (verb == "info") take_loader_options(app.get_subcommands()[0], t.info.max78);
  if (verb == "info") a.verb = std::move(t.info);
  if (verb == "run") take_loader_options(app.get_subcommands()[0], t.run.max78);
  if (verb == "check") take_loader_options(app.get_subcommands()[0], t.check.max78);
  if (verb == "compile") take_loader_options(app.get_subcommands()[0], t.compile.max78);
  if (verb == "verify") take_loader_options(app.get_subcommands()[0], t.verify.max78);
  if (verb == "run") a.verb = std::move(t.run);
  if (verb == "diff") a.verb = std::move(t.diff);
  if (verb == "bench") a.verb = std::move(t.bench);
  if (verb == "report") a.verb = std::move(t.report);
  if (verb == "explain") a.verb = std::move(t.explain);
  if (verb == "pack") a.verb = std::move(t.pack);
  if (verb == "unpack") a.verb = std::move(t.unpack);
  if (verb == "check") a.verb = std::move(t.check);
  if (verb == "compile") a.verb = std::move(t.compile);
  if (verb == "disasm") a.verb = std::move(t.disasm);
  if (verb == "asm") a.verb = std::move(t.assemble);
  if (verb == "decompile") a.verb = std::move(t.decompile);
  if (verb == "synthesize") a.verb = std::move(t.synthesize);
  if (verb == "quantize") a.verb = std::move(t.quantize);
  if (verb == "verify") a.verb = std::move(t.verify);
  if (verb == "firmware") a.verb = std::move(t.firmware);
  if (verb == "lut build") a.verb = std::move(t.lut.build);
  if (verb == "lut sweep") a.verb = std::move(t.lut.sweep);
  if (verb == "lut advise") a.verb = std::move(t.lut.advise);
  if (verb == "params list") a.verb = std::move(t.params.list);
  if (verb == "params build") a.verb = std::move(t.params.build);
  if (verb == "params extract") a.verb = std::move(t.params.extract);
  if (verb == "devices") a.verb = std::move(t.devices);
  if (verb.starts_with("demo ")) a.verb = std::move(t.demo);
  if (verb.starts_with("template ")) a.verb = std::move(t.templates);
  if (verb == "patch") a.verb = std::move(t.patch);
  return a;
}

// One empty line between paragraphs, one newline at the end.
std::string tidy(std::string text) {
  for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  text.erase(text.find_last_not_of('\n') + 1);
  return text + "\n";
}

// `first` is the first word, where the verb should stand.
Error usage_error(const CLI::App& app, const CLI::ParseError& e, const std::string& first) {
  std::string message = e.what();
  if (app.get_subcommands().empty()) {
    const bool is_option = first.empty() || first[0] == '-';
    if (first.empty()) message = "no verb was given";
    if (!is_option) message = "there is no verb '" + first + "'";
  }
  std::replace(message.begin(), message.end(), '\n', ' ');
  const std::string words = command_of(app);
  const std::string verb = words.empty() ? "" : " " + words;
  return Error(ErrorCode::usage, message)
      .with_hint("edgetwin" + verb + " --help lists the options and ends with an example.");
}

}  // namespace

Parsed parse_arguments(int argc, const char* const* argv) {
  CLI::App app(kAbout, "edgetwin");
  Targets targets;
  declare(app, targets);
  Parsed parsed;
  try {
    app.parse(argc, argv);
    parsed.arguments = collect(app, targets);
    parsed.arguments->words.assign(argv, argv + argc);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* asked = chosen_of(app);
    const CLI::App* above = asked->get_parent();  // "edgetwin lut" of `lut build`
    const bool nested = above != nullptr && above != &app;
    const std::string before = app.get_name() + (nested ? " " + above->get_name() : "");
    parsed.text = tidy(asked->help(asked == &app ? "" : before));
  } catch (const CLI::CallForVersion& e) {
    parsed.text = tidy(e.what());
  } catch (const CLI::ParseError& e) {
    parsed.error = usage_error(app, e, argc > 1 ? argv[1] : "");
    parsed.console = targets.console;
    const auto is_json = [](std::string_view word) { return word == "--json"; };
    parsed.console.json = std::any_of(argv, argv + argc, is_json);
    parsed.console.command = command_of(app);
  }
  return parsed;
}

}  // namespace edgetwin::cli
