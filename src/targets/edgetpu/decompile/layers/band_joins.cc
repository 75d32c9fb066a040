#include "targets/edgetpu/decompile/layers/band_joins.h"

#include <algorithm>
#include <optional>

#include "targets/edgetpu/decompile/operands/row_filler.h"
#include "targets/edgetpu/decompile/stages/channel_words.h"
#include "targets/edgetpu/decompile/stages/classify.h"

namespace edgetwin::edgetpu {
namespace {

// A map whose positions hold `per` rows of the output each.
struct Part {
  Producer from = 0;
  int h = 1, w = 1;
  int per = 0;
  bool padded = false;  // its rows are padded to words
  int64_t rows() const { return int64_t{h} * w * per; }
};

class Joiner {
 public:
  Joiner(Layers& layers, const darwinn::Executable& inference)
      : all_(layers.layers), layers_(layers), inference_(inference) {
    for (const DecompiledLayer& l : all_) {
      for (const Operand& o : l.inputs) read_.insert(read_.end(), o.from.begin(), o.from.end());
    }
    for (const DecompiledOutput& o : layers.outputs) {
      if (!whole(o.from, inference.outputs[o.layer_index])) continue;
      read_.insert(read_.end(), o.from.from.begin(), o.from.from.end());
    }
  }

  void run() {
    for (DecompiledOutput& o : layers_.outputs) join(o);
  }

 private:
  static bool pointwise(const DecompiledLayer& l) {
    return l.type == LayerType::logistic || l.type == LayerType::tanh;
  }

  // A long list lies in several rows of positions; 0: no sizes of a list.
  static int64_t rows_of(const darwinn::Layer& output) {
    if (!plausible(output.y_dim) || !plausible(output.x_dim)) return 0;
    const int64_t rows = int64_t{output.y_dim} * output.x_dim;
    return rows <= 1 << 20 ? rows : 0;
  }

  static bool plausible(int size) { return size > 0 && size <= 1 << 20; }

  int readers(Producer p) const {
    return static_cast<int>(std::count(read_.begin(), read_.end(), p));
  }

  Extent2D extent(Producer p) const {
    if (p >= 0) return all_[static_cast<size_t>(p)].out;
    const darwinn::Layer& l = inference_.inputs[static_cast<size_t>(-1 - p)];
    return {l.y_dim, l.x_dim, l.z_dim};
  }

  bool whole(const Operand& o, const darwinn::Layer& output) const {
    // A file may claim any sizes: their products are exact as far as memory reaches.
    if (!o.taken.empty()) return true;
    double elements = 0;
    for (const Producer p : o.from) {
      if (p < 0 && static_cast<size_t>(-1 - p) >= inference_.inputs.size()) return true;
      const Extent2D e = extent(p);
      elements += double{1} * e.h * e.w * e.c;
    }
    return elements == double{1} * output.y_dim * output.x_dim * output.z_dim;
  }

  void join(DecompiledOutput& o) {
    const darwinn::Layer& output = inference_.outputs[o.layer_index];
    const bool row = rows_of(output) > 1 && plausible(output.z_dim);
    if (!row || o.from.from.empty() || whole(o.from, output)) return;
    // A function of every value stands after the joining.
    const Producer first = o.from.from.front();
    DecompiledLayer* function = nullptr;
    if (first >= 0 && pointwise(all_[static_cast<size_t>(first)])) {
      function = &all_[static_cast<size_t>(first)];
      if (o.from.from.size() != 1 || readers(first) != 0) return;
    }
    std::optional<int> zero;
    if (function != nullptr) {
      zero = function->numbers.input_zero_point;
      for (const Operand& in : function->inputs) {
        for (const Producer p : in.from) {
          const auto found = std::find(read_.begin(), read_.end(), p);
          if (found != read_.end()) read_.erase(found);
        }
      }
    } else if (output.numerics) {
      zero = output.numerics->zero_point;
    }
    const std::vector<Part> parts = find_parts(output, zero, function);
    if (parts.empty()) return;
    Operand joined;
    joined.row_channels = output.z_dim;
    joined.down = goes_down(parts, output.z_dim);
    for (const Part& p : parts) {
      joined.from.push_back(p.from);
      read_.push_back(p.from);
      if (p.padded) cut_rows(p, output.z_dim);
    }
    if (function == nullptr) {
      o.from = joined;
    } else {
      function->inputs = {joined};
      function->in = function->out = {1, static_cast<int>(rows_of(output)), output.z_dim};
      if (joined.down) std::swap(function->in.h, function->in.w), function->out = function->in;
      function->problem.clear();
    }
  }

  // Whether the positions of each part are copied to the rows of tiles, as those of a list in one
  // column are: the second tile of the first column has a quarter.
  bool goes_down(const std::vector<Part>& parts, int channels) const {
    constexpr uint32_t kColumn = 0x1111, kSecond = 0x10;
    const DecodedProgram& steps = layers_.replay.steps;
    const auto copied = [&](int64_t words) {
      for (size_t k = 0; k < steps.all.size(); ++k) {
        if (!steps.is_nest(k)) continue;
        const Nest& nest = steps.nest(k);
        const bool here = (nest.tiles & kSecond) != 0 && (nest.tiles & ~kColumn) == 0;
        if (here && classify(nest) == StageKind::copy &&
            nest.loops() == static_cast<uint64_t>(words))
          return true;
      }
      return false;
    };
    return std::ranges::all_of(parts, [&](const Part& part) {
      const auto begin = [&](int64_t tile) { return (part.rows() * tile + 3) / 4; };
      return copied((begin(2) - begin(1)) * (round4(channels) / 4));
    });
  }

  // All maps that may be parts, the largest first as detectors have them; empty: they are not the
  // whole output.
  std::vector<Part> find_parts(const darwinn::Layer& output, std::optional<int> zero,
                               const DecompiledLayer* function) const {
    std::vector<Part> parts;
    int64_t rows = 0;
    const auto take = [&](Producer p) {
      const auto part = part_of(p, output.z_dim, zero);
      if (!part || rows > rows_of(output)) return;
      parts.push_back(*part);
      rows += part->rows();
    };
    for (size_t i = 0; i < inference_.inputs.size(); ++i) take(input_producer(i));
    for (size_t l = 0; l < all_.size(); ++l) {
      if (&all_[l] != function) take(static_cast<Producer>(l));
    }
    if (rows != rows_of(output)) return {};
    std::stable_sort(parts.begin(), parts.end(), [](const Part& x, const Part& y) {
      return int64_t{x.h} * x.w > int64_t{y.h} * y.w;
    });
    return parts;
  }

  std::optional<int> zero_point(Producer p) const {
    if (p >= 0) return all_[static_cast<size_t>(p)].numbers.output_zero_point;
    const auto& numerics = inference_.inputs[static_cast<size_t>(-1 - p)].numerics;
    return numerics ? std::optional(numerics->zero_point) : std::nullopt;
  }

  std::optional<Part> part_of(Producer p, int channels, std::optional<int> zero) const {
    if (readers(p) != 0 || (zero && zero_point(p) != zero)) return std::nullopt;
    if (p >= 0 && !all_[static_cast<size_t>(p)].problem.empty()) return std::nullopt;
    const Extent2D e = extent(p);
    if (!plausible(e.h) || !plausible(e.w) || !plausible(e.c)) return std::nullopt;
    if (e.c % channels == 0) return Part{p, e.h, e.w, e.c / channels, false};
    // The filler after the last row may be gone already.
    const int padded = round4(channels);
    const int per = (e.c + padded - 1) / padded;
    if (per * padded - e.c > padded - channels) return std::nullopt;
    const DecompiledLayer* maker = weighted_maker(p);
    if (maker == nullptr || !has_row_filler(*maker, channels)) return std::nullopt;
    return Part{p, e.h, e.w, per, true};
  }

  static bool is_weighted(const DecompiledLayer& l) {
    const bool kind = l.type == LayerType::conv || l.type == LayerType::dense;
    return kind && l.problem.empty() && !l.content.weights.empty() &&
           !l.content.zero_points.empty() && l.shape.out == l.out.c;
  }

  // The layer of the chain of rescalings after `l` that comes before it; nobody else reads it.
  const DecompiledLayer* before(const DecompiledLayer& l) const {
    const bool passes = l.type == LayerType::quantize && !adds(l);
    if (!passes || l.inputs.size() != 1 || l.inputs[0].from.size() != 1) return nullptr;
    const Producer p = l.inputs[0].from[0];
    if (p < 0 || readers(p) != 1) return nullptr;
    const DecompiledLayer& made = all_[static_cast<size_t>(p)];
    return made.out.c == l.out.c ? &made : nullptr;
  }

  const DecompiledLayer* weighted_maker(Producer p) const {
    const DecompiledLayer* l = p < 0 ? nullptr : &all_[static_cast<size_t>(p)];
    for (int depth = 0; l != nullptr && depth < 8; ++depth) {
      if (is_weighted(*l)) return l;
      l = before(*l);
    }
    return nullptr;
  }

  void cut_rows(const Part& part, int channels) {
    const DecompiledLayer* maker = weighted_maker(part.from);
    DecompiledLayer* l = &all_[static_cast<size_t>(part.from)];
    while (l != maker) {
      const auto from = static_cast<size_t>(l->inputs[0].from[0]);
      l->in.c = l->out.c = part.per * channels;
      l = &all_[from];
    }
    cut_row_filler(*l, channels);
  }

  std::vector<DecompiledLayer>& all_;
  Layers& layers_;
  const darwinn::Executable& inference_;
  std::vector<Producer> read_;  // once for every reader
};

}  // namespace

void join_maps(Layers& layers, const darwinn::Executable& inference) {
  Joiner(layers, inference).run();
}

}  // namespace edgetwin::edgetpu
