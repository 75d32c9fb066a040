// The register program: every access to the accelerator that the firmware makes, in order, and its
// text form. Source: specification "registers" 5, "memory" 3 to 6; docs/max78.md has the text form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "targets/max78/plan.h"
#include "tensor/tensor.h"

namespace edgetwin::max78 {

struct Access {
  enum class Kind : uint8_t { write, write_byte, set_bits, keep_bits, read, wait, poll, fifo };
  Kind kind = Kind::write;
  uint32_t address = 0;
  uint32_t value = 0;  // of wait: what (read & mask) has to be
  uint32_t mask = 0;   // of read: bits that report an error, 0: the value is not used
  // fifo: `words` go round robin to `addresses`. write: the words after `value`, to address + 4,
  // address + 8 and so on.
  std::vector<uint32_t> words = {};
  std::vector<uint32_t> addresses = {};
};

struct Function {
  std::string name;
  std::vector<Access> accesses;
};

struct Program {
  std::vector<Function> functions;
};

// --synthesize-input: every block of pixels behind the first is the one before it plus the addend,
// as words of the FIFO. Error: max78_option where channels or blocks do not suit.
Status synthesize(Tensor& sample, const Options& options);

// The whole program of a plan without errors. `sample`: int8 of the plan's shape.
Result<Program> make_program(const Plan& plan, const Tensor& sample);

// Its parts.
Function cnn_init(const Plan& plan);
Function cnn_load_weights(const Plan& plan);
Function cnn_load_bias(const Plan& plan);
Function cnn_configure(const Plan& plan);
Function cnn_start(const Plan& plan);
Function load_input(const Plan& plan, const Tensor& sample);
Function interrupt(const Plan& plan);

// One access per line; in functions that load memories runs of at least four words are bursts.
std::string to_text(const Program& program);

// Runs of words that may be read or written at once.
struct Run {
  uint32_t address = 0;
  uint32_t mask = 0xffffffffU;
  std::vector<uint32_t> words;
};

// What the known-answer test expects, sorted by mask and address.
std::vector<Run> expected_words(const Plan& plan, const std::vector<Tensor>& outputs);
std::string expected_text(const std::vector<Run>& runs);

// An access of the unload function: a write, or `count` reads from `address` on.
struct UnloadAccess {
  bool write = false;
  bool fixed = false;  // all reads at the same address
  uint32_t address = 0;
  uint32_t value = 0;
  int64_t count = 1;
};
std::vector<UnloadAccess> unload_accesses(const Plan& plan);
std::string unload_text(const std::vector<UnloadAccess>& accesses);

// The layers that are outputs, ascending, the last one among them.
std::vector<int> output_layers(const Plan& plan);

// Where an output pixel's word is: byte address. `quad` counts processors by four, `byte` the
// processor within it (of 32-bit outputs only, else 0).
uint32_t output_address(const Plan& plan, const LayerPlan& layer, int64_t pixel, int pass, int quad,
                        int byte);

}  // namespace edgetwin::max78
