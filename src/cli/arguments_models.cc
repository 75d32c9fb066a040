#include "cli/arguments_models.h"

#include <cmath>

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"
#include "cli/arguments_decode.h"
#include "cli/arguments_device.h"
#include "cli/arguments_espdl.h"
#include "cli/arguments_machine.h"
#include "cli/arguments_max78.h"
#include "cli/arguments_silicon.h"
#include "ops/flavours.h"

namespace edgetwin::cli {
namespace {

constexpr int kMaxThreads = 256;
constexpr int kMaxRuns = 1000000;

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

}  // namespace

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
          "it;\nor a compiled Edge TPU model, or a folder of them. Without --input all their\n"
          "inputs are pseudo-random, xs32:1. Of a compiled model or a folder each of several\n"
          "--input xs32:N is a run, xs32:1..8 are eight")
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

}  // namespace edgetwin::cli
