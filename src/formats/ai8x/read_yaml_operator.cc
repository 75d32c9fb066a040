// One item of `layers`: the operator, and what depends on it.
#include <algorithm>
#include <charconv>
#include <type_traits>

#include "formats/ai8x/reader.h"

namespace edgetwin::ai8x {
namespace {

struct OperatorRow {
  std::string_view spelling;
  Operator op;
  Eltwise eltwise;
};

constexpr OperatorRow kOperators[] = {
#define OPERATOR(spelling, op, eltwise) {spelling, Operator::op, Eltwise::eltwise},
#include "formats/ai8x/operators.def"
};

// The scalar in the form in which the table has it.
std::string spelling_of(const YamlNode& node) {
  if (const auto number = as_integer(node)) {
    return (number->negative ? "-" : "") + std::to_string(number->size);
  }
  return lower(node.text);
}

template <class T>
struct ChoiceRow {
  Key key;
  std::string_view spelling;
  T value;
};

// The rows of operators.def whose value is of type T.
template <class T>
const std::vector<ChoiceRow<T>>& choices() {
  static const std::vector<ChoiceRow<T>> rows = [] {
    std::vector<ChoiceRow<T>> out;
    const auto add = [&out](Key key, std::string_view spelling, auto value) {
      if constexpr (std::is_same_v<decltype(value), T>) out.push_back({key, spelling, value});
    };
#define CHOICE(key, spelling, value) add(Key::key, spelling, value);
#include "formats/ai8x/operators.def"
    return out;
  }();
  return rows;
}

}  // namespace

template <class T>
std::optional<T> LayerReader::choice(Key key) {
  const YamlNode* node = get(key);
  if (node == nullptr) return std::nullopt;
  std::string known;
  for (const ChoiceRow<T>& row : choices<T>()) {
    if (row.key != key) continue;
    if (node->kind == YamlKind::scalar && spelling_of(*node) == row.spelling) return row.value;
    known += (known.empty() ? "" : ", ") + std::string(row.spelling);
  }
  error(ErrorCode::ai8x_choice, key,
        "'" + std::string(name(key)) + "' is " + described(*node) + "; it can be " + known);
  return std::nullopt;
}

template std::optional<bool> LayerReader::choice<bool>(Key);
template std::optional<int> LayerReader::choice<int>(Key);

void LayerReader::read_operator(Layer& layer) {
  const YamlNode* node = get(Key::op);
  if (node == nullptr) {
    findings_.warning(ErrorCode::ai8x_default, layer.mark, "op",
                      "the layer names no operator; it is conv2d");
  } else {
    const std::string text = node->kind == YamlKind::scalar ? lower(node->text) : "";
    const auto* row = std::find_if(std::begin(kOperators), std::end(kOperators),
                                   [&](const OperatorRow& r) { return r.spelling == text; });
    if (row == std::end(kOperators)) {
      std::string known;
      for (const OperatorRow& r : kOperators) {
        known += (known.empty() ? "" : ", ") + std::string(r.spelling);
      }
      error(ErrorCode::ai8x_choice, Key::op,
            "the operator is " + described(*node) + "; it can be " + known);
    } else {
      layer.op = row->op;
      layer.eltwise = row->eltwise;
    }
  }
  layer.activation = choice<Activation>(Key::activate).value_or(Activation::none);
  if (get(Key::activate) == nullptr && layer.op != Operator::none) {
    findings_.note(ErrorCode::ai8x_default, layer.mark, "activate",
                   "the layer names no activation; it has none");
  }
}

void LayerReader::read_eltwise(Layer& layer) {
  if (const auto eltwise = choice<Eltwise>(Key::eltwise)) {
    if (layer.eltwise != Eltwise::none && layer.eltwise != *eltwise) {
      error(ErrorCode::ai8x_choice, Key::eltwise,
            "'eltwise' is " + std::string(name(*eltwise)) + ", but the operator is " +
                std::string(name(layer.eltwise)));
    }
    layer.eltwise = *eltwise;
  }
  layer.operands = layer.eltwise == Eltwise::none ? 1 : 2;
  const auto operands = integer(Key::operands);
  if (operands && layer.eltwise == Eltwise::none) {
    error(ErrorCode::ai8x_operands, Key::operands,
          "the layer has " + std::to_string(*operands) + " operands but no element-wise operation");
  } else if (operands) {
    layer.operands = *operands;
  }
}

void LayerReader::read_pooling(Layer& layer) {
  const bool max = get(Key::max_pool) != nullptr;
  const bool average = get(Key::avg_pool) != nullptr;
  if (average) {
    size(Key::avg_pool, layer.pool);
    layer.pooling = Pooling::average;
  }
  if (max) {
    layer.pool = Size2{};
    size(Key::max_pool, layer.pool);
    layer.pooling = Pooling::max;
  }
  if (max && average) {
    findings_.warning(ErrorCode::ai8x_ignored, mark(Key::avg_pool), "avg_pool",
                      "the layer has both poolings; avg_pool is ignored");
  }
  const bool pools = max || average;
  size(Key::pool_stride, layer.pool_stride);
  if (pools && get(Key::pool_stride) == nullptr) {
    findings_.warning(ErrorCode::ai8x_default, layer.mark, "pool_stride",
                      "the layer pools without pool_stride; it is 1");
  }
  size(Key::pool_dilation, layer.pool_dilation);
  if (!pools && get(Key::pool_dilation) != nullptr) {
    error(ErrorCode::ai8x_pool, Key::pool_dilation, "pool_dilation is given without pooling");
  }
  boolean(Key::pool_first, layer.pool_first);
  if (!layer.pool_first && (layer.operands == 1 || layer.pool == Size2{})) {
    error(ErrorCode::ai8x_pool, Key::pool_first,
          "pool_first: false needs pooling and an element-wise operation; the layer has pool " +
              std::to_string(layer.pool.h) + "x" + std::to_string(layer.pool.w) + " and " +
              std::to_string(layer.operands) + (layer.operands == 1 ? " operand" : " operands"));
  }
}

void LayerReader::read_convolution(Layer& layer) {
  const bool convolves = layer.op != Operator::none;
  int pad = convolves && layer.op != Operator::linear ? 1 : 0;
  integer(Key::pad, pad);
  layer.pad = {pad, pad};
  layer.output_pad = layer.op == Operator::conv_transpose2d ? 1 : 0;
  integer(Key::output_pad, layer.output_pad);
  read_kernel(layer);
  read_stride(layer);
  size(Key::dilation, layer.dilation);
  if (!convolves && get(Key::dilation) != nullptr) {
    error(ErrorCode::ai8x_dilation, Key::dilation, "a layer without a convolution has dilation");
  }
  integer(Key::groups, layer.groups);
  only_max78002(Key::groups, layer.groups > 1, "groups: all channels are connected");
  boolean(Key::bypass, layer.bypass);
  only_max78002(Key::bypass, layer.bypass, "bypass");
}

// A number from 1 to 9, also as a text.
void LayerReader::read_conv1d_kernel(Layer& layer) {
  const YamlNode& node = *get(Key::kernel_size);
  int length = 0;
  const auto number = as_integer(node);
  if (number && !number->negative && number->size <= 9) {
    length = static_cast<int>(number->size);
  } else if (node.kind == YamlKind::scalar && node.text.size() == 1) {
    std::from_chars(node.text.data(), node.text.data() + 1, length);
  }
  if (length < 1 || length > 9) {
    error(ErrorCode::ai8x_kernel_size, Key::kernel_size,
          "kernel_size is " + described(node) + "; " + std::string(name(layer.op)) +
              " takes a number from 1 to 9");
    return;
  }
  layer.kernel = {length, 1};
}

void LayerReader::read_kernel(Layer& layer) {
  switch (layer.op) {
    case Operator::none:
    case Operator::linear:
      layer.kernel = {1, 1};
      break;
    case Operator::conv1d:
      layer.kernel = {9, 1};
      break;
    case Operator::conv2d:
    case Operator::conv_transpose2d:
      layer.kernel = {3, 3};
      break;
  }
  const YamlNode* node = get(Key::kernel_size);
  if (node == nullptr) return;
  if (layer.op == Operator::linear) {
    error(ErrorCode::ai8x_kernel_size, Key::kernel_size, "a linear layer has kernel_size");
  } else if (layer.op == Operator::conv1d || layer.op == Operator::none) {
    read_conv1d_kernel(layer);
  } else {
    const std::string text = node->kind == YamlKind::scalar ? lower(node->text) : "";
    const bool one = text == "1x1" && layer.op == Operator::conv2d;
    if (one) layer.kernel = {1, 1};
    if (!one && text != "3x3") {
      error(ErrorCode::ai8x_kernel_size, Key::kernel_size,
            "kernel_size is " + described(*node) + "; " + std::string(name(layer.op)) +
                (layer.op == Operator::conv2d ? " takes 1x1 or 3x3" : " takes 3x3"));
    }
  }
}

void LayerReader::read_stride(Layer& layer) {
  size(Key::stride, layer.stride);
  if (get(Key::stride) == nullptr) return;
  const std::string text = std::to_string(layer.stride.h) + "x" + std::to_string(layer.stride.w);
  if (layer.stride.h != layer.stride.w) {
    error(ErrorCode::ai8x_stride, Key::stride,
          "the stride is " + text + "; both parts must be equal");
  } else if (layer.op == Operator::conv_transpose2d) {
    if (layer.stride.h != 2) {
      error(ErrorCode::ai8x_stride, Key::stride,
            "the stride is " + text + "; convtranspose2d has 2");
    }
  } else if (layer.stride.h != 1 && layer.pooling != Pooling::none) {
    error(ErrorCode::ai8x_stride, Key::stride,
          "the stride is " + text + "; with pooling it must be 1");
  }
}

void LayerReader::read_parameters(Layer& layer) {
  layer.output_shift = integer(Key::output_shift);
  layer.quantization = choice<int>(Key::quantization);
  only_max78002(Key::quantization, layer.quantization == kBinary, "binary weights");
  if (get(Key::bias_group) != nullptr) {
    layer.bias_group =
        values_.integers(*get(Key::bias_group), "bias_group", 0, 3).value_or(std::vector<int>{});
  }
}

// Specification, 1.5.
void LayerReader::fix_up(Layer& layer) {
  if (layer.op == Operator::conv1d) {
    layer.pad.w = 0;
    layer.pool.w = layer.pool_stride.w = layer.pool_dilation.w = 1;
    layer.stride.w = layer.dilation.w = 1;
  }
  if (layer.op == Operator::none) layer.kernel = {1, 1};
  if (layer.op == Operator::conv_transpose2d) layer.stride = {2, 2};
}

}  // namespace edgetwin::ai8x
