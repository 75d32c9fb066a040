#include "twin/weights/graph_weights.h"

#include <algorithm>
#include <cmath>

namespace edgetwin {

Weights::~Weights() = default;

namespace twin {
namespace {

Error wrong_weights(std::string message) {
  return Error(ErrorCode::module_weights, std::move(message));
}

class GraphWeights final : public Weights {
 public:
  GraphWeights(std::shared_ptr<const Model> model, Replan replan)
      : original_(std::move(model)), scaled_(original_), replan_(std::move(replan)) {
    shape_ = values(*original_).shape;
    reset_scales();
  }

  const Shape& shape() const override { return shape_; }
  std::span<const float> scales() const override { return scales_; }

  Status set(std::span<const int8_t> weights) override { return set_in(scaled_, weights); }

  Status set(std::span<const int8_t> weights, std::span<const float> scales) override {
    EDGETWIN_TRY(check_scales(scales, scales_.size()));
    EDGETWIN_TRY_ASSIGN(std::shared_ptr<const Model> model, with_scales(scales));
    EDGETWIN_TRY(set_in(model, weights));
    scaled_ = std::move(model);
    scales_.assign(scales.begin(), scales.end());
    return Ok{};
  }

  size_t raw_bytes() const override { return 0; }
  Status set_raw(ByteSpan) override {
    return wrong_weights("the twin has weights, and not a chip's parameters");
  }
  Status reset() override {
    EDGETWIN_TRY(replan_(original_));
    scaled_ = original_;
    reset_scales();
    return Ok{};
  }
  Status upload() override { return Ok{}; }

 private:
  static const Op& layer(const Model& model) { return *exchangeable_layer(model.main()); }
  static const Value& values(const Model& model) {
    return model.main().value(layer(model).inputs[1]);
  }
  void reset_scales() { scales_ = row_scales(layer(*original_), values(*original_)); }

  Status set_in(const std::shared_ptr<const Model>& base, std::span<const int8_t> weights) {
    EDGETWIN_TRY(check_weights(shape_, weights.size()));
    const ValueId id = layer(*base).inputs[1];
    auto changed = std::make_shared<Model>(*base);
    changed->graphs.front().value(id).constant =
        std::make_shared<const Bytes>(to_bytes(std::as_bytes(weights)));
    return replan_(std::move(changed));
  }

  // The steps of a bias are those of the sums: products of the input's scale and the row's.
  Result<std::shared_ptr<const Model>> with_scales(std::span<const float> scales) const {
    auto changed = std::make_shared<Model>(*original_);
    Graph& graph = changed->graphs.front();
    const Op& op = layer(*changed);
    Value& weights = graph.value(op.inputs[1]);
    weights.quant.scale.assign(scales.begin(), scales.end());
    weights.quant.zero_point.assign(scales.size(), 0);
    weights.quant.axis = row_axis(op);
    if (!op.has_input(2)) return {std::move(changed)};
    Value& bias = graph.value(op.inputs[2]);
    const bool zeros = bias.is_constant() && std::ranges::all_of(*bias.constant, [](std::byte b) {
                         return b == std::byte{0};
                       });
    if (!zeros) {
      return wrong_weights("the layer has a bias, whose steps depend on the scales of its weights");
    }
    if (bias.quant.present()) {
      const float input = graph.value(op.inputs[0]).quant.scale_of(0);
      bias.quant = weights.quant;
      bias.quant.axis = 0;
      for (float& s : bias.quant.scale) s *= input;
    }
    return {std::move(changed)};
  }

  std::shared_ptr<const Model> original_;
  std::shared_ptr<const Model> scaled_;  // with the scales that are set
  Replan replan_;
  Shape shape_;
  std::vector<float> scales_;
};

}  // namespace

const Op* exchangeable_layer(const Graph& graph) {
  for (const Op& op : graph.ops) {
    const bool layer = op.kind == OpKind::fully_connected || op.kind == OpKind::conv_2d ||
                       op.kind == OpKind::depthwise_conv_2d;
    if (!layer || !op.has_input(1)) continue;
    const Value& v = graph.value(op.inputs[1]);
    return v.is_constant() && v.dtype == DType::int8 ? &op : nullptr;
  }
  return nullptr;
}

int row_axis(const Op& layer) { return layer.kind == OpKind::depthwise_conv_2d ? 3 : 0; }

std::vector<float> row_scales(const Op& layer, const Value& weights) {
  std::vector<float> scales;
  const int64_t rows = weights.shape[row_axis(layer)];
  for (int64_t r = 0; r < rows; ++r) {
    scales.push_back(weights.quant.scale_of(static_cast<size_t>(r)));
  }
  return scales;
}

Status check_weights(const Shape& shape, size_t given) {
  if (static_cast<int64_t>(given) == shape.elements()) return Ok{};
  return wrong_weights(std::to_string(given) + " weights, the layer has " +
                       std::to_string(shape.elements()));
}

Status check_scales(std::span<const float> scales, size_t rows) {
  if (scales.size() != rows) {
    return wrong_weights(std::to_string(scales.size()) + " scales, the layer has " +
                         std::to_string(rows) + " rows");
  }
  const auto bad =
      std::ranges::find_if(scales, [](float s) { return !std::isfinite(s) || s <= 0; });
  if (bad == scales.end()) return Ok{};
  return wrong_weights("the scale of row " + std::to_string(bad - scales.begin()) +
                       " is not a number above 0");
}

std::unique_ptr<Weights> graph_weights(std::shared_ptr<const Model> model, Replan replan) {
  if (exchangeable_layer(model->main()) == nullptr) return nullptr;
  return std::make_unique<GraphWeights>(std::move(model), std::move(replan));
}

}  // namespace twin
}  // namespace edgetwin
