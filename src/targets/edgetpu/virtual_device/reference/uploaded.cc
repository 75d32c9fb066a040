#include "targets/edgetpu/virtual_device/reference/uploaded.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace edgetwin::edgetpu {
namespace {

Error refuse(const ReferenceLayer& l, std::string message) {
  return Error(ErrorCode::stick_layer, std::move(message)).in_layer(l.label);
}

// The multiplier as the compiler forms it, in single precision.
float multiplier(float input, float weight, float output) {
  return (input * weight) * (1.0F / output);
}

class Builder {
 public:
  Builder(const KnownModel& model, const UploadedBlobs& blobs) : model_(model), blobs_(blobs) {}

  Result<UploadedGraph> build() {
    const Located& located = *model_.located;
    std::vector<size_t> meant(located.blobs.size(), 0);
    for (const Piece& p : located.pieces) {
      const ByteSpan own = own_bytes(p);
      const ByteSpan now = uploaded(p);
      if (now.empty()) continue;
      const bool known = p.kind != PieceKind::layer || p.explained == p.bytes;
      if (known && std::memcmp(own.data(), now.data(), own.size()) == 0) continue;
      if (p.kind != PieceKind::layer) {
        remark(p.offset, p.bytes, std::string(edgetwin::edgetpu::name(p.kind)) + " " + p.label);
        continue;
      }
      EDGETWIN_TRY(layer(p, now));
    }
    EDGETWIN_TRY(unlocated_layers());
    other_bytes();
    result_.graph = changed_ ? std::make_shared<const Graph>(std::move(graph_)) : model_.graph;
    return std::move(result_);
  }

 private:
  const Blob& blob_of(const Piece& p) const { return model_.located->blobs[p.blob]; }
  ByteSpan own_bytes(const Piece& p) const { return blob_of(p).bytes.subspan(p.offset, p.bytes); }
  bool here(const Blob& b) const {
    return b.id.op == model_.op && b.id.package == model_.package &&
           b.id.executable < blobs_.size();
  }
  ByteSpan uploaded(const Piece& p) const {
    const Blob& b = blob_of(p);
    if (!here(b)) return {};
    const ByteSpan all = blobs_[b.id.executable];
    return p.offset + p.bytes <= all.size() ? all.subspan(p.offset, p.bytes) : ByteSpan();
  }

  void remark(size_t offset, size_t bytes, const std::string& what) {
    result_.remarks.push_back(std::to_string(bytes) + " bytes from " + std::to_string(offset) +
                              " (" + what + ") are not those of the compiled model");
  }

  Graph& graph() {
    if (!changed_) graph_ = *model_.graph;
    changed_ = true;
    return graph_;
  }

  Status layer(const Piece& p, ByteSpan now) {
    const ReferenceLayer& l = model_.located->layers[p.layer];
    const auto op_index = model_.op_of[p.layer];
    if (!op_index) return Ok{};
    EDGETWIN_TRY_ASSIGN(const BlockContent content,
                        read_block(p.shape, now, l.content.zero_points[0]));
    const Op op = graph().ops[*op_index];
    if (content.weights != l.content.weights) {
      graph().value(op.inputs[1]).constant =
          std::make_shared<const Bytes>(to_model_order(l, content.weights));
    }
    const bool same_zero = std::all_of(content.zero_points.begin(), content.zero_points.end(),
                                       [&](uint8_t z) { return z == l.content.zero_points[0]; });
    if (!same_zero) return refuse(l, "the zero points of the uploaded weights are new ones");
    EDGETWIN_TRY(bias(p, l, op, content));
    return scales(p, l, op, content);
  }

  Status bias(const Piece& p, const ReferenceLayer& l, const Op& op, const BlockContent& content) {
    if (!p.shape.has_bias || content.bias == l.content.bias) return Ok{};
    if (!op.has_input(2)) return refuse(l, "a bias came for a layer that has none");
    graph().value(op.inputs[2]).constant =
        std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(content.bias))));
    return Ok{};
  }

  Status scales(const Piece& p, const ReferenceLayer& l, const Op& op,
                const BlockContent& content) {
    if (!p.shape.has_scale) return Ok{};
    const float output = p.output_scale > 0 ? p.output_scale : l.output_scales[0];
    const std::vector<float> old = l.effective_scales(output);
    if (content.scales == old) return Ok{};
    Value& weights = graph().value(op.inputs[1]);
    std::vector<float> now = l.weight_scales;
    now.resize(content.scales.size(), l.weight_scales[0]);
    for (size_t c = 0; c < now.size(); ++c) {
      if (content.scales[c] == old[c]) continue;
      const auto scale = weight_scale_for(content.scales[c], l.input_scale, output);
      if (!scale) {
        return refuse(l, "no weight scale gives the uploaded multiplier " +
                             std::to_string(content.scales[c]) + " of channel " +
                             std::to_string(c));
      }
      now[c] = *scale;
    }
    weights.quant.scale = std::move(now);
    return Ok{};
  }

  // Layers that the chip computes and whose numbers are nowhere to be found.
  Status unlocated_layers() const {
    for (const size_t index : model_.located->missing) {
      if (!model_.op_of[index] || same_as_file()) continue;
      const ReferenceLayer& l = model_.located->layers[index];
      return refuse(l, "where its weights stand among the uploaded parameters is not known");
    }
    return Ok{};
  }

  bool same_as_file() const {
    for (const Blob& b : model_.located->blobs) {
      if (here(b) && !std::ranges::equal(b.bytes, blobs_[b.id.executable])) return false;
    }
    return true;
  }

  // What belongs to no piece and differs from the compiled model.
  void other_bytes() {
    for (size_t b = 0; b < model_.located->blobs.size(); ++b) {
      const Blob& blob = model_.located->blobs[b];
      if (!here(blob) || blobs_[blob.id.executable].size() != blob.bytes.size()) continue;
      const ByteSpan now = blobs_[blob.id.executable];
      size_t at = 0;
      const auto compare = [&](size_t end) {
        if (end > at && std::memcmp(now.data() + at, blob.bytes.data() + at, end - at) != 0) {
          remark(at, end - at, "no layer's");
        }
      };
      for (const Piece& p : model_.located->pieces) {
        if (p.blob != b) continue;
        compare(std::min(p.offset, now.size()));
        at = std::max(at, p.offset + p.bytes);
      }
      compare(now.size());
    }
  }

  const KnownModel& model_;
  const UploadedBlobs& blobs_;
  Graph graph_;
  bool changed_ = false;
  UploadedGraph result_;
};

}  // namespace

std::optional<float> weight_scale_for(float wanted, float input_scale, float output_scale) {
  if (!(wanted > 0.0F) || !std::isfinite(wanted)) return std::nullopt;
  const auto guess =
      static_cast<float>(double{wanted} / (double{1.0F / output_scale} * double{input_scale}));
  if (!(guess > 0.0F) || !std::isfinite(guess)) return std::nullopt;
  // The products are rounded: neighbours of the quotient are tried.
  constexpr int kReach = 4;
  float low = guess;
  for (int i = 0; i < kReach; ++i) low = std::nextafter(low, 0.0F);
  for (int i = 0; i <= 2 * kReach; ++i) {
    if (multiplier(input_scale, low, output_scale) == wanted) return low;
    low = std::nextafter(low, INFINITY);
  }
  return std::nullopt;
}

Result<UploadedGraph> with_uploaded(const KnownModel& model, const UploadedBlobs& blobs) {
  return Builder(model, blobs).build();
}

}  // namespace edgetwin::edgetpu
