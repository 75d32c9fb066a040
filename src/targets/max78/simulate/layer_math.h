// One layer's arithmetic on pictures: pooling, combining operands, the operator.
// Source: specification of the numerics 3 to 7.
#pragma once

#include <memory>
#include <vector>

#include "base/parallel.h"
#include "kernels/i8/conv.h"
#include "numerics/max78/max78.h"
#include "targets/max78/network/resolved.h"
#include "targets/max78/simulate/picture.h"

namespace edgetwin::max78 {

// Pooling, or every stride-th pixel where the window is 1x1.
Picture pooled(const ResolvedLayer& layer, const Picture& in, const Options& options,
               ThreadPool& pool);

// The element-wise operation over all operands, limited to 8 bits at the end.
Picture combined(const ResolvedLayer& layer, const std::vector<Picture>& operands);

// A convolution or linear layer with its weights in the order that it computes in.
class LayerKernel {
 public:
  // `plain`: by the walks of src/ops only.
  LayerKernel(const ResolvedLayer& layer, bool plain);

  // `in` is pooled, combined and flattened already.
  Picture run(const Picture& in, ThreadPool& pool) const;

 private:
  void arrange_weights(const ResolvedLayer& layer);
  void choose_kernel(const ResolvedLayer& layer);
  void run_plain(const Elements<int8_t>& in, Picture& out, ThreadPool& pool) const;

  Window2D window_;
  bool depthwise_ = false, transposed_ = false, wide_ = false;
  int shift_ = 0;
  numerics::max78::Activation activation_ = numerics::max78::Activation::none;
  Elements<int8_t> weights_;  // (out, y, x, in); depthwise: (y, x, out)
  std::vector<int8_t> bias_;
  std::unique_ptr<kernels::PackedConv> fast_;
};

}  // namespace edgetwin::max78
