// Everything a PackedConv knows: what conv_i8.cc decides, pack.cc fills in and the drivers read.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/core/aligned.h"
#include "kernels/core/table8.h"
#include "kernels/i8/conv.h"
#include "kernels/i8/grouped.h"
#include "tensor/window.h"

namespace edgetwin::kernels {

struct ConvPlan {
  Window2D window;
  const KernelTable* table = nullptr;
  std::string path;
  InputEncoding encoding;
  TailTable tail;
  bool open = false;  // a sum may be what the layer's finish is not made for
  AlignedArray<int8_t> weights;
  AlignedArray<int32_t> bias;
  AlignedArray<int32_t> tail_words;
  int blocks = 0;   // of output channels
  int vectors = 1;  // of sums per block
  bool depthwise = false;

  // Dense layers.
  bool flat = false;    // one window per pixel: the whole batch is one row of pixels
  bool direct = false;  // windows are read where they are, without a copy
  int runs = 1, run_elements = 0, run_steps = 0;
  int32_t term_factor = 0;  // of the sum over a window; 0: no such term
  GroupedWeights grouped;   // of tables whose steps are grouped, in place of `weights`

  // Depthwise layers.
  int multiplier = 1, groups = 1, first_groups = 1, planes = 1, phases = 1;
  bool overlap = false;
  bool in_place = false;  // windows are read where they are: kernels/x86/depthwise_direct.h

  int block_channels() const { return vectors * table->lanes; }
};

// How a layer's weights enter the sums. Exact for every zero point, see pack.cc.
void pack_dense(const Conv8Spec& spec, ConvPlan& plan);
// For a table whose steps are grouped; false: it would take longer than one of words, and nothing
// is packed.
bool pack_grouped(const Conv8Spec& spec, ConvPlan& plan);
void pack_depthwise(const Conv8Spec& spec, ConvPlan& plan);

std::size_t dense_scratch_bytes(const ConvPlan& plan, int threads);
void run_dense(const ConvPlan& plan, const uint8_t* in, uint8_t* out, std::byte* scratch,
               ThreadPool& pool);
std::size_t depthwise_scratch_bytes(const ConvPlan& plan, int threads);
void run_depthwise(const ConvPlan& plan, const uint8_t* in, uint8_t* out, std::byte* scratch,
                   ThreadPool& pool);
// Of plans that are `in_place`.
std::size_t direct_scratch_bytes(const ConvPlan& plan, int threads);
void run_direct(const ConvPlan& plan, const uint8_t* in, uint8_t* out, std::byte* scratch,
                ThreadPool& pool);

}  // namespace edgetwin::kernels
