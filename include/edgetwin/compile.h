// From a network description to what a MAX78000 or MAX78002 runs: the register program with its
// known answer, as text and as a C project. docs/max78.md.
#pragma once

#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/network.h"

namespace edgetwin {

// A file that was made and not written: where it belongs below the caller's folder, "/" between
// folders, and its bytes. The same arguments give the same bytes.
struct MadeFile {
  std::string path;
  Bytes bytes;
};

struct CompileOptions {
  // Required: target, parameters (checkpoint, or weights and bias) and sample: an .npy of int8,
  // (channels, rows, columns), a picture, a .wav or xs32:SEED; its result is the known answer.
  OpenOptions open;
  std::string name = "network";  // of the project
  bool project = true;           // false: Compiled::project stays empty
  // Names of the classes that the program prints with --softmax; as many as the last layer has
  // results, or none.
  std::vector<std::string> labels = {};
};

struct Compiled {
  const Target* target = nullptr;
  // False: the network breaks rules of the chip; `findings` say which, and nothing was made.
  bool fits = false;
  std::vector<Finding> findings;
  std::vector<MadeFile> project;  // the vendor's files and functions
  std::string program;            // one register or memory access per line
  std::string expected;           // the words of the known answer
  std::string unload_reads;       // the reads of the unload function
};

// `description` is the file of a network (.yaml). Errors: file_*, file_kind where it is something
// else, usage where the target does not compile, a part is missing or labels do not fit, ai8x_*,
// max78_*.
EDGETWIN_API Result<Compiled> compile(const std::string& description,
                                      const CompileOptions& options);

}  // namespace edgetwin
