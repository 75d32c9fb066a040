#include "cli/arguments.h"

#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>

#include "cli/arguments_device.h"
#include "cli/arguments_edgetpu.h"
#include "cli/arguments_espdl.h"
#include "cli/arguments_max78.h"
#include "cli/arguments_models.h"
#include "cli/version.h"

namespace edgetwin::cli {
namespace {

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
