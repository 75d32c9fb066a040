// The command line as values. Only arguments*.cc know the library that parses it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cli/arguments_decompile.h"
#include "cli/arguments_demo.h"
#include "cli/arguments_device.h"
#include "cli/arguments_edgetpu.h"
#include "cli/arguments_lut.h"
#include "cli/arguments_params.h"
#include "cli/arguments_quantize.h"
#include "cli/arguments_template.h"
#include "cli/console.h"

namespace edgetwin::cli {

// How a network is computed; shared by the verbs that compute.
struct ComputeArguments {
  std::string numerics;           // empty: by the kind and the target of the model
  std::string target;             // of an .espdl file; empty: as far as the file tells
  std::string model;              // of a package: name or number; empty: the only one
  std::string key;                // of an encrypted .espdl file
  std::string runtime = "3.3.9";  // version of ESP-DL
  bool wide = false;              // accumulators as in ESP-DL's portable code
  bool allow_undefined = false;
  std::vector<float> mean, std;  // of pictures for inputs with an exponent: (pixel - mean) / std
  int threads = 1;
  bool plain = false;
  std::string isa;
  std::vector<std::string> shapes;  // of an .onnx file: NAME=1,3,224,224
};

// What a network of the MAX78000 or MAX78002 is computed or compiled with.
struct Max78Arguments {
  std::string network, target, checkpoint, weights, bias, sample;
  std::string shape;                 // of the input, where there is no sample
  std::string html, picture;         // the page, and the picture of its memories
  bool force = false;                // of the two
  std::vector<std::string> options;  // in the spelling of the vendor's loader
};

struct CompileArguments {
  Max78Arguments max78;
  std::string output, program, expected, unload_reads, prefix;
  bool force = false;
};

struct QuantizeArguments {
  std::string checkpoint, target, output, network;
  std::string clip_method = "MAX_BIT_SHIFT";
  double scale = 0.85, stddev = 2.0, bn_epsilon = 1e-20;
  int bits = 0;
  bool upstream_bugs = false;
  bool force = false;
  QuantizeNetworkArguments network_options;  // of float networks
};

struct InfoArguments {
  std::vector<std::string> files, shapes;
  std::string target;
  Max78Arguments max78;
  std::string key, companions;
  bool force = false;
  bool program = false;  // of compiled Edge TPU models
};

struct PackArguments {
  std::vector<std::string> files;
  std::string output, text = "v1.0", key;
  int format = 3;
  bool force = false;
};

struct UnpackArguments {
  std::string file, output, key;
  bool force = false;
};

struct CheckArguments {
  std::string model, target, key, member;
  std::vector<std::string> shapes;
  Max78Arguments max78;
  bool strict = false;
};

struct VerifyArguments {
  std::string model;                // empty: only a log is read
  std::vector<std::string> inputs;  // of a .tflite model
  ComputeArguments compute;
  std::vector<std::string> logs;
  std::string html;
  bool force = false;
  Max78Arguments max78;  // of register programs
  std::string expected;
  uint64_t step_limit = 400'000'000;
  DeviceArguments device;
  std::string silicon;  // folder of recorded device results
  std::vector<std::string> models;
  bool from_compiled = false;
};

struct FirmwareArguments {
  std::vector<std::string> models;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  std::string output, place = "rodata";
  bool lut = false;
  bool force = false;
};

struct RunArguments {
  std::string model;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  std::string output, trace, labels, html;
  std::string decode, picture;
  std::string machine;  // "edgetpu", or empty
  Max78Arguments max78;
  std::optional<double> threshold;
  bool force = false;
  bool repeat = false;
  DeviceArguments device;
};

struct DiffArguments {
  std::string a, b;
  double tolerance = 0.0;
};

struct BenchArguments {
  std::string model;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  int runs = 50;
  DeviceArguments device;
};

struct ReportArguments {
  std::string model;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  std::string output, reference;
  double tolerance = 0.0;
  bool force = false;
};

struct ExplainArguments {
  std::string id;
};

struct Arguments {
  ConsoleOptions console;
  std::variant<InfoArguments, RunArguments, DiffArguments, BenchArguments, ReportArguments,
               ExplainArguments, LutBuildArguments, LutSweepArguments, LutAdviseArguments,
               PackArguments, UnpackArguments, CheckArguments, VerifyArguments, FirmwareArguments,
               CompileArguments, QuantizeArguments, DisasmArguments, DecompileArguments,
               AsmArguments, SynthesizeArguments, ParamsListArguments, ParamsBuildArguments,
               ParamsExtractArguments, PatchArguments, DevicesArguments, TemplateArguments,
               DemoArguments>
      verb;
  std::vector<std::string> words;  // the command line itself, for "how to repeat"
};

// What the command line asks for: a verb, a text to print (help, version), or an error.
struct Parsed {
  std::optional<Arguments> arguments;
  std::string text;
  std::optional<Error> error;
  ConsoleOptions console;  // for the error
};

Parsed parse_arguments(int argc, const char* const* argv);

}  // namespace edgetwin::cli
