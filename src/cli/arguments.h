// The command line as values. Only arguments*.cc know the library that parses it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cli/console.h"

namespace edgetwin::cli {

// How a network is computed; shared by the verbs that compute.
struct ComputeArguments {
  std::string numerics = "tflite";
  int threads = 1;
  bool plain = false;
  std::string isa;
};

struct InfoArguments {
  std::vector<std::string> files;
};

struct RunArguments {
  std::string model;
  std::vector<std::string> inputs;
  ComputeArguments compute;
  std::string output, trace, labels, html;
  bool force = false;
  bool repeat = false;
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
               ExplainArguments>
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
