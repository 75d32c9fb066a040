// What a user may ask of the program for a chip, under the names of the vendor's loader.
// Source: specification "codegen" 10.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/ai8x/parameters.h"

namespace edgetwin::max78 {

// The rows of the family max78 in numerics/numerics.def, in their order. Whose arithmetic, where
// the vendor's loader, document and training code disagree: how average pooling rounds, and what
// one-dimensional pooling does with dilation. docs/max78.md has the table.
enum class Arithmetic : uint8_t { loader, document, training };
// "max7800x", "max7800x-document", "max7800x-training".
std::string_view name(Arithmetic arithmetic);
std::optional<Arithmetic> arithmetic_named(std::string_view name);

// Of the C project, within its folder.
struct FileNames {
  std::string main = "main.c", api = "cnn.c", weights = "weights.h", sample = "sampledata.h",
              answer = "sampleoutput.h";
};

// A simulated camera that gives the input. Source: specification "rtl" 9.
struct CameraOptions {
  std::string csv;               // its signals; empty: no camera
  int format = 888;              // bits of the three channels: 888, 565 or 555
  int retrace = 5, period = 80;  // samples after a row; nanoseconds of a sample
  int pixel_clock = 9;           // edges between samples, with `sync`
  bool sync = false;             // the signals follow the chip's pixel clock
  bool ring = false;             // words wait in memory for the FIFO
};

// Of folders for a simulation of the chip's gates. Source: specification "rtl" 1 and 10.
struct RtlOptions {
  bool on = false;
  bool preload = false, preload_weights = false;  // input and kernels as memory files
  bool compact_data = true;                       // input and answer as arrays
  bool result_output = false;                     // memories are dumped and compared
  bool verify_kernels = false, stop_start = false;
  bool mexpress_given = false, answer_file_given = false;
  bool flash = true, cache = true;  // of the RISC-V core
  bool pretend_zero = false;        // kernels as if memories were cleared
  int input_split = 1, slow_load = 0, repeat_layers = 1, timeout = 0;  // milliseconds
  std::string autogen, autogen_list = "autogen_list", queue, top_level = "cnn";
  std::string run_file = "run_test.sv", input = "input", output = "output", pass;
  bool test_bist = false;  // every seventh kernel is 0
  CameraOptions camera;

  // --top-level None: the accelerator alone, without a core and its program.
  bool block() const { return top_level == "None"; }
};

struct Options {
  RtlOptions rtl;
  Arithmetic arithmetic = Arithmetic::loader;
  ai8x::ParameterOptions parameters;
  bool avg_pool_rounding = false;
  bool simple1b = false;
  bool fifo = false;            // input through the FIFOs of the Arm core
  bool fast_fifo = false;       // of the RISC-V core; implies fifo
  bool fast_fifo_quad = false;  // implies fast_fifo
  bool fifo_go = false;
  bool fifo_wait = true;                          // for room, before each word
  std::optional<int64_t> synthesize_input;        // what is added to the words of a block
  int64_t synthesize_words = 8;                   // of a block
  bool ignore_streaming = false, calcx4 = false;  // of all layers
  bool readahead = false;
  bool warn_zero = true;  // about weights and biases that are all zero
  bool riscv = false;
  bool riscv_exclusive = false;  // the memory of the RISC-V core is its own
  bool mlator = false;
  bool overlap_data = false;
  bool zero_sram = false;
  bool mexpress = true;
  bool compact_weights = false;
  bool new_kernel_loader = true;
  bool legacy_kernels = false;  // tables of the older loader begin at column 0
  bool legacy_test = false;     // operands that come from one layer take its columns in turns
  bool deduplicate_weights = true;
  bool write_zero_registers = false;
  std::optional<bool> pipeline, pll;  // empty: where the chip has it
  bool max_speed = false;
  bool energy = false;
  std::optional<int> output_width;  // of the last layer
  bool unload = true;
  bool kat = true;  // known-answer test
  std::optional<int64_t> max_checklines;
  int start_layer = 0;
  int weight_start = 0;  // kernel column
  std::optional<int> stop_after;
  bool allow_streaming = false;
  bool ignore_bias_groups = false;
  bool ignore_hw_limits = false;
  bool ignore_activation = false;
  bool error_stop = true;
  bool one_shot = false;
  bool ext_rdy = false;
  bool link_layer = false;
  bool softmax = false;
  std::optional<int> timer;
  std::string boost;                               // "2.5": port and pin
  std::optional<int> clock_divider, switch_delay;  // milliseconds
  bool powerdown = false;                          // of memories in groups without use
  bool deep_sleep = false, sleeps = true;          // while the network runs
  bool forever = false;
  int debug_wait = 2;  // seconds before anything is switched on
  std::string board;   // empty: the evaluation kit
  std::string defines;
  std::optional<int> override_start, override_rollover, override_delta1, override_delta2;
  int increase_start = 2, increase_delta1 = 0, increase_delta2 = 0;
  bool upstream_bugs = false;         // the loader's faults in the unload function
  std::optional<int> input_offset;    // of the first layer, bytes in each data memory
  std::vector<int> streaming_layers;  // that stream, whatever the description says
  bool reshape_inputs = false;        // surplus channels of the sample are left out
  bool init_tram = false, zero_unused = false;
  int ready_sel = 0, ready_sel_fifo = 0, ready_sel_aon = 0;  // wait states, 0 to 3
  bool verify_writes = false;                                // registers and biases are read back
  FileNames files;
  std::string defines_arm = "MXC_ASSERT_ENABLE ARM_MATH_CM4",
              defines_riscv = "MXC_ASSERT_ENABLE RV32";
  std::string openocd;  // arguments of the debugger's server; empty: interface and chip
  // Files beside the project: the words and numbers of every layer, what pooling takes and gives,
  // and the result as .npy.
  bool log_intermediate = false, log_pooling = false, debug_computation = false;
  std::string result_file;

  bool use_fifo() const { return fifo || fast_fifo || fast_fifo_quad; }
  bool use_fast_fifo() const { return fast_fifo || fast_fifo_quad; }
};

// From a command line in the loader's spelling ("--fifo", "--output-width", "32", or with "=").
// Options that change nothing here (--verbose, --display-checkpoint) are accepted.
// Error: max78_option for one that is not known, is refused or lacks its value.
Result<Options> options_from(const std::vector<std::string>& words);

// What of the options of RTL folders follows from each other.
void settle_rtl(Options& options);
bool needs_camera(std::string_view name);  // changes nothing without --input-csv
// Options of folders that say nothing together. Errors: max78_option.
Status check_rtl(const Options& options);

// --test-bist: every seventh kernel is 0, so that the test of cleared memories has some to find.
// Source: the recorded folder; specification "rtl" 4 says "output channel's".
void apply_to(ai8x::Parameters& parameters, const Options& options);

// What the options say of all layers (--ignore-streaming, --calcx4, --read-ahead), and streaming.
void apply_to(ai8x::Network& network, const Options& options);

// One row of options.def.
struct OptionInfo {
  enum class Kind : uint8_t { sets, takes_value, takes_list, silent, renamed, refused };
  std::string_view name;
  Kind kind;
  int values = 0;
  std::string_view reason;  // of refused ones; of renamed ones the option here
};
std::span<const OptionInfo> all_options();

}  // namespace edgetwin::max78
