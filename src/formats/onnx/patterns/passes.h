// What is recognised and rewritten when an ONNX network is read.
#pragma once

namespace edgetwin::onnx {

// Each can be switched off.
struct Passes {
  bool fold_batch_norm = true;     // into the convolution or Gemm before it
  bool fuse_bias = true;           // Conv or Gemm + constant per channel
  bool fuse_swish = true;          // x * Sigmoid(x) after Conv, Gemm and the like
  bool swish_of_anything = false;  // also after other operators, which the vendor's tool leaves
  bool fuse_hard_swish = true;     // x * HardSigmoid(x), x * clip(x + 3, 0, 6) / 6
  bool fuse_gelu = true;           // the forms with Erf and with Tanh
  // A Gelu that approximates by tanh is written out as its formula; else it is one with the others.
  bool write_out_tanh_gelu = false;
  bool fuse_layer_norm = true;  // mean, variance, scale and shift
};

}  // namespace edgetwin::onnx
