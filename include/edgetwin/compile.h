// From a network to what a chip runs. For the MAX78000 and MAX78002: the register program with its
// known answer, as text and as a C project (docs/max78.md). For the Edge TPU: a .tflite file whose
// operators are programs of the chip (docs/edgetpu-compiler.md).
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
  // Of --rtl: where the folder will be. A name that is too long together with it is cut, as by the
  // vendor's loader.
  std::string parent = {};
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
  // Of --rtl: the vendor's name of the folder, and the line of --autogen for its list of tests.
  std::string test_name, test_line;
};

// `description` is the file of a network (.yaml). Errors: file_*, file_kind where it is something
// else, usage where the target does not compile, a part is missing or labels do not fit, ai8x_*,
// max78_*.
EDGETWIN_API Result<Compiled> compile(const std::string& description,
                                      const CompileOptions& options);

// One operator of a network that is compiled for the Edge TPU, and where it is computed.
struct PlacedOperator {
  size_t op = 0;      // in the network
  std::string kind;   // "CONV_2D"
  std::string label;  // "#3 CONV_2D 'name'"
  int group = -1;     // of operators on the chip, from 0; -1: on the host
  std::string rule;   // on the host: the rule that says why, for `explain`
  std::string why;    // and why, with the number that decides
};

// A group of operators as one program.
struct ProgramGroup {
  size_t operators = 0;
  int64_t narrow_bytes = 0;                       // of 196,608 in each tile
  int64_t resident_lines = 0, resident_room = 0;  // of parameters, in all tiles
  size_t instructions = 0;
  size_t program_bytes = 0, caching_bytes = 0, parameter_bytes = 0;
  int64_t streamed_bytes = 0;  // of parameters that come at every inference, beside those
  // What the proof showed: runs with pseudo-random inputs, of the machine and with engines in
  // several orders, and those of them with the twin's bytes; steps of the timed machine (0: not
  // run), and what was wrong, empty if nothing.
  size_t inputs = 0, equal = 0;
  int64_t steps = 0;
  // Pairs of instructions that race because receivers take short lines for whole ones, as in the
  // vendor's program; with the true words none does. 0 unless `like_vendor`.
  size_t short_lines = 0;
  std::string wrong;
};

struct EdgetpuCompileOptions {
  bool plan_only = false;  // decides where operators go, and makes nothing
  int inputs = 2;          // pseudo-random ones that the proof runs
  bool order = true;       // the proof looks for races and standstills, too
  // Of the package: older runtimes refuse the file. 10 to 14; the programs are the same for each.
  int min_runtime_version = 14;
  // Order of instructions, waits and places as the vendor's newest compiler has them, as far as its
  // laws are known. Results are the same.
  bool like_vendor = false;
  // With like_vendor: as the compiler before the newest one, whose files name the chip 17, not 18.
  bool like_vendor_17 = false;
};

struct EdgetpuCompiled {
  std::vector<PlacedOperator> operators;  // in the order of the network
  std::vector<ProgramGroup> groups;
  size_t on_chip() const;
  // The compiled file; empty where nothing is on the chip, the proof failed or nothing was made.
  Bytes file;
  bool proven = false;
  bool vendor_equal = false;  // a single layer whose program is that of the vendor's compiler
  // Layers of the network, and those of them that `decompile` gives back equal.
  size_t layers = 0, decompiled = 0;
  std::vector<std::string> not_decompiled;  // the others
  std::vector<Finding> findings;            // of the proof: forms, checks of the file
  std::string log;                          // the summary as edgetpu_compiler has it
  std::string proof;                        // what was shown, as text
};

// `network` is a .tflite file of bytes. Errors: tflite_*, file_kind where it is compiled already or
// no .tflite file, graph_*, usage for a runtime version that is not known.
EDGETWIN_API Result<EdgetpuCompiled> compile_edgetpu(ByteSpan network, const std::string& name,
                                                     const EdgetpuCompileOptions& options = {});

// Several networks for one chip: their parameters rest beside each other, in this order, and have
// one token, so that the driver loads each of them once. Of one that does not fit beside the others
// parameters come at every inference; where not even that is possible it has a token of its own.
// `path`: of messages. `plan_only` changes nothing here.
EDGETWIN_API Result<std::vector<EdgetpuCompiled>> compile_edgetpu_together(
    const std::vector<MadeFile>& networks, const EdgetpuCompileOptions& options = {});

// A network in parts that follow each other, one for each chip of a pipeline: the slowest is as
// fast as can be by the estimate of iterations and of the bytes that go in and out. `path`:
// "_segment_0_of_2". A result that a later part needs is an output of its part. Errors: usage for a
// number of parts that the network has not; tflite_*, file_kind.
EDGETWIN_API Result<std::vector<MadeFile>> edgetpu_segments(ByteSpan network,
                                                            const std::string& name, int segments);

// The programs of two compiled files of one network side by side, the second one usually of the
// vendor's compiler.
struct EdgetpuLikeness {
  // The instructions of one opcode. Equal: all fields but the counters, in the same order.
  struct Opcode {
    std::string name;
    bool order = false;  // it orders engines or feeds the scalar core; not in the sums
    size_t ours = 0, theirs = 0;
    size_t equal = 0, counters = 0;  // counters: of the equal ones, those that have equal ones
    size_t placed = 0;               // other first bytes, first lines or tiles, all else equal
    size_t other = 0, missing = 0, extra = 0;
  };
  // By what they are for, compared inside of the same step of the network. Anywhere: equal
  // wherever blocks of parameters rest (tile, line); waits: those of them with equal waits.
  struct Use {
    std::string name;
    bool body = false;  // of layers without heads, whose laws are known: what `body` adds up
    size_t ours = 0, theirs = 0;
    size_t equal = 0, anywhere = 0, waits = 0, extra = 0;
  };
  // Of the body, why instructions of theirs are not equal with waits; the most frequent first.
  struct Cause {
    std::string text;  // "borders: move.up a.start, b.start"
    size_t count = 0;
    bool waits = false;   // equal but for waits and counts
    std::string example;  // "step 4: a.start 16, theirs 0"; may be empty
  };
  std::vector<Use> uses;
  Use body;
  std::vector<Cause> causes;
  std::vector<Opcode> opcodes;
  size_t theirs = 0, equal = 0, placed = 0, counters = 0;  // without those that only order
  size_t fields = 0, equal_fields = 0;                     // of pairs; arrays by element
  std::vector<std::pair<std::string, size_t>> differing;   // "tensor in.start", pairs
  bool same_bytes = false;
};
// Whether a file can stand beside ours, asked before there is one. Errors: as of `compare_edgetpu`.
EDGETWIN_API Status edgetpu_comparable(ByteSpan theirs, const std::string& their_name);
// Errors: tflite_*, darwinn_*; file_kind where the second file is not compiled.
EDGETWIN_API Result<EdgetpuLikeness> compare_edgetpu(ByteSpan compiled, ByteSpan theirs,
                                                     const std::string& their_name);

// The lines in which the vendor's compiler tells of memory and numbers of operators.
EDGETWIN_API std::string edgetpu_summary(const EdgetpuCompiled& compiled);
// Its table of operators with count and status, and then each operator on the host with its reason.
EDGETWIN_API std::string edgetpu_operations(const EdgetpuCompiled& compiled);
// A size as it writes them: "12.34KiB".
EDGETWIN_API std::string edgetpu_amount(int64_t bytes);

}  // namespace edgetwin
