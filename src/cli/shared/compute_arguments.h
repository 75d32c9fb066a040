// How a network is computed; shared by the verbs that compute.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/option_set.h"

namespace edgetwin::cli {

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

// --numerics, --threads, --plain, --isa, --shape and those of ESP-DL models.
void declare(OptionSet& options, ComputeArguments& a);

// -i, --input
void declare_inputs(OptionSet& options, std::vector<std::string>& inputs);
// --shape of .onnx files
void declare_shapes(OptionSet& options, std::vector<std::string>& shapes);
// --key of encrypted .espdl files
void declare_key(OptionSet& options, std::string& key);

}  // namespace edgetwin::cli
