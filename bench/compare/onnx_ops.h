// The operators of onnx_form.cc, one function for each kind of them.
#pragma once

#include "base/result.h"
#include "compare/onnx_writer.h"

namespace edgetwin::bench {

inline constexpr const char* kMicrosoft = "com.microsoft";

// An operator of the graph while it is written.
struct FormOp {
  OnnxWriter& w;
  const Op& op;
  size_t index = 0;

  const Value& in(size_t i) const { return w.value(op.inputs[i]); }
  const Value& out() const { return w.value(op.outputs[0]); }
  ValueId in_id(size_t i) const { return op.inputs[i]; }
  ValueId out_id() const { return op.outputs[0]; }
  Error refused(const std::string& why) const;
  // All operands and results that are not constant have 8 bits.
  bool has_bytes() const;
  // x, scale, zero point of operand i.
  void add_quantized(std::vector<std::string>& inputs, size_t i, Channels order) const;
  void add_result(std::vector<std::string>& inputs) const;
};

// The range of an activation, in the integers of a value; nothing where it cuts nothing off.
std::optional<std::pair<int64_t, int64_t>> cut_of(const Value& value, Activation activation);
// Gives `result` as the operator's output, through Clip where the activation cuts.
void finish_quantized(const FormOp& f, Channels order, Activation activation, const char* type,
                      std::vector<std::string> inputs, std::vector<onnx::Attribute> attributes,
                      const char* domain);
// The same for real numbers.
std::string activated(const FormOp& f, Activation activation, const std::string& reals);

using FormFunction = Status (*)(const FormOp& f);

// onnx_sums.cc
Status form_conv(const FormOp& f);
Status form_dense(const FormOp& f);
Status form_matmul(const FormOp& f);
Status form_pool(const FormOp& f);
// onnx_elements.cc
Status form_pair(const FormOp& f);
Status form_concat(const FormOp& f);
Status form_function(const FormOp& f);
Status form_softmax(const FormOp& f);
Status form_change(const FormOp& f);
Status form_cast(const FormOp& f);
Status form_mean(const FormOp& f);
// onnx_moves.cc
Status form_reshape(const FormOp& f);
Status form_transpose(const FormOp& f);
Status form_resize(const FormOp& f);
Status form_pad(const FormOp& f);
Status form_arg_max(const FormOp& f);
Status form_gather(const FormOp& f);
Status form_gather_nd(const FormOp& f);
Status form_slice(const FormOp& f);
Status form_split(const FormOp& f);
Status form_pack(const FormOp& f);
Status form_unpack(const FormOp& f);

}  // namespace edgetwin::bench
