// A layer as its registers describe it: the only source is the registers.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "targets/max78/machine/state/finding_list.h"
#include "targets/max78/machine/state/registers.h"

namespace edgetwin::max78 {

// Which fields the machine has looked at: for the self-check of the table.
using FieldSet = std::bitset<256>;

struct LayerConfig {
  int layer = 0;
  uint64_t processors = 0;  // of groups whose sums or data take part
  uint64_t idle = 0;        // enabled, but of groups that do not take part

  // Input: a picture of rows x columns words per pass and operand.
  bool chw = false;
  int rows = 0, columns = 0;  // rows: as far as windows reach
  int passes = 1, operands = 1, read_step = 1;
  uint32_t read_base = 0;
  int pool_h = 1, pool_w = 1, dilation_h = 1, dilation_w = 1, pool_stride = 1;
  bool pools = false, max_pool = true, rounds = false;
  int pooled_rows = 0, pooled_columns = 0;
  bool eltwise = false, pool_first = false;
  int function = 0;  // 0 sub, 1 add, 2 or, 3 xor

  // Operator.
  bool passthrough = false, depthwise = false, broadcast = false, bypass = false;
  bool transposed = false, one_dimension = false, flatten = false, calcx4 = false, quad = false;
  bool binary = false;
  int kernel_h = 1, kernel_w = 1, pad_h = 0, pad_w = 0;
  int bits = 8;
  int64_t kernel_first = 0, kernel_last = 0;  // bit positions
  int kernel_start = 0;                       // byte in the first column
  int outputs = 0;                            // of a pass, from the first byte of the first word
  int out_passes = 1;
  std::array<int, kGroups> bias = {-1, -1, -1, -1};  // offset; -1: none
  int shift = 0;
  bool relu = false, absolute = false, wide = false;

  // Output.
  std::array<uint32_t, kGroups> write_base{};
  uint32_t slot_step = 0, mask_step = 0, pass_step = 0;
  uint32_t write_step = 1;  // words from pixel to pixel (passthrough: from pass to pass)

  // Streaming.
  bool streams = false;
  int64_t start = 0, delta1 = 0, delta2 = 0, rollover = 0;

  int next = -1;  // the layer after it, -1: the last

  int out_rows() const;
  int out_columns() const;
  int64_t in_words() const { return int64_t{rows} * columns * passes * operands; }
  int taps() const { return kernel_h * kernel_w; }
  // Channels of one pixel as the machine keeps them: the passes, each with every processor.
  int pixel_channels() const;
  int total_outputs() const { return outputs * out_passes; }
};

class LayerDecoder {
 public:
  LayerDecoder(const Limits& chip, const Registers& regs, FindingList& findings, FieldSet& seen,
               bool snoop_jumps)
      : chip_(chip), regs_(regs), findings_(findings), seen_(seen), snoop_jumps_(snoop_jumps) {}

  // `enabled`: groups that run; `master`: the one whose registers lead.
  LayerConfig decode(int layer, int master, unsigned enabled, int last_layer);

 private:
  uint32_t get(Field f, LayerReg reg, int group);
  uint32_t get(Field f, LayerReg reg) { return get(f, reg, master_); }
  uint32_t global(Field f, GlobalReg reg);
  void compare_groups(unsigned enabled);
  void kind();
  void input();
  void pooling();
  void sizes();
  void kernels();
  void output();
  void groups(unsigned enabled);
  void check_kernels();
  void finish();
  void stream();
  void follow(int last_layer);
  void contradiction(const std::string& text);
  void unknown(const std::string& text);

  const Limits& chip_;
  const Registers& regs_;
  FindingList& findings_;
  FieldSet& seen_;
  bool snoop_jumps_;
  int master_ = 0;
  LayerConfig c_;
};

}  // namespace edgetwin::max78
