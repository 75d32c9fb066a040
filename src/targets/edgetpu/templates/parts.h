// What the templates are put together from.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::edgetpu::templates {

Error refused(std::string message, std::string argument);

// Whether every whole number is within the range of its row. Error: template_argument.
#define TEMPLATE(name, Struct, text) Status check_ranges(const Struct& arguments);
#define INTEGER(name, initial, least, most, text)
#define NUMBER(name, initial, text)
#define WORD(name, initial, text)
#define LIST(name, values, text)
#define WEIGHTS(name, text)
#define END(Struct)
#include "targets/edgetpu/templates/templates.def"
#include "targets/edgetpu/templates/undefine.h"

// Adds values and operators to a graph in the order of the calls.
class Maker {
 public:
  explicit Maker(std::string description);

  ValueId tensor(const std::string& name, DType type, const Shape& shape, const Quant& quant);
  ValueId weights(const std::string& name, const Shape& shape, const Quant& quant,
                  const std::vector<int8_t>& data);
  ValueId zero_bias(const std::string& name, const Quant& quant);
  // A bias that has the same bytes as another one shares them.
  ValueId same_bytes(const std::string& name, ValueId other, const Quant& quant);
  ValueId numbers(const std::string& name, const std::vector<int32_t>& data);

  void op(OpKind kind, int version, Attrs attrs, std::vector<ValueId> inputs, ValueId output);
  // Between numbers of two scales or types.
  void quantize(ValueId from, ValueId to);
  ValueId quantized_copy(const std::string& name, ValueId from, DType type, const Quant& quant);

  const Value& value(ValueId id) const { return graph_.value(id); }
  Template finish(ValueId input, ValueId output, Metadata metadata) &&;

 private:
  ValueId constant(const std::string& name, DType type, const Shape& shape, const Quant& quant,
                   ByteSpan bytes);
  Graph graph_;
  std::string description_;
};

inline Quant affine(double scale, int64_t zero_point) {
  return Quant::affine(static_cast<float>(scale), zero_point);
}

// Real weights and what they become: scale = largest magnitude / 127, half to even.
struct QuantizedWeights {
  std::vector<int8_t> data;
  double scale = 1.0;
};
QuantizedWeights quantize_weights(const std::vector<float>& real, double least_magnitude);
std::vector<int8_t> quantize_by(const std::vector<float>& real, double scale);
// Integers that are taken as they are: largest magnitude (at least 1) / 127.
double scale_of_integers(const std::vector<int8_t>& data);
// Of the weights of one output, what bounds its sum.
int64_t sum_of_magnitudes(const std::vector<int8_t>& data);

// heads.cc: softmax over a map of height x width, then the mean of its columns and of its rows as
// two numbers. Adds the constants of both (`begin`), and what follows the map (`end`).
class Heads {
 public:
  // Errors: template_argument.
  static Status check(int height, int width, double temperature);
  Heads(Maker& maker, int height, int width, double temperature);
  // `map` is [1, height, width, 1]; the output [1, 2] in int8.
  ValueId finish(ValueId map);
  // output_scale, output_zero_point and output_count
  void describe_output(Metadata& metadata) const;
  void describe_softmax(Metadata& metadata) const;  // temperature and y_offset

 private:
  Maker& maker_;
  int height_, width_;
  double temperature_, scale_;
  int64_t zero_point_;
  ValueId x_ = kAbsent, y_ = kAbsent;
};

// convolutions.cc: a picture of uint8 -> QUANTIZE -> DEPTHWISE_CONV_2D (SAME, RELU) -> perhaps an
// average over squares -> QUANTIZE to uint8.
struct Bank {
  int height = 0, width = 0, ksize = 0, filters = 0;
  std::vector<int8_t> weights;  // [row][column][filter]
  std::vector<double> scales;   // per filter
  double input_scale = 1.0, output_scale = 1.0;
  int pool = 0;  // 0: no average
};
Template bank_template(const Bank& bank, Metadata metadata, const std::string& description);
double mean(const std::vector<double>& values);

}  // namespace edgetwin::edgetpu::templates
