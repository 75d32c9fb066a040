#include "targets/edgetpu/params/locate.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/params/constants.h"

namespace edgetwin::edgetpu {
namespace {

size_t to_line(size_t x) { return (x + kLineBytes - 1) / kLineBytes * kLineBytes; }

// Bytes of a blob that pieces have taken, by lines.
class Claims {
 public:
  explicit Claims(const std::vector<Blob>& blobs) {
    for (const Blob& b : blobs) taken_.emplace_back(to_line(b.bytes.size()) / kLineBytes, false);
  }
  bool free(size_t blob, size_t offset, size_t bytes) const {
    const auto first = taken_[blob].begin() + static_cast<std::ptrdiff_t>(offset / kLineBytes);
    return std::find(first, first + static_cast<std::ptrdiff_t>(to_line(bytes) / kLineBytes),
                     true) == first + static_cast<std::ptrdiff_t>(to_line(bytes) / kLineBytes);
  }
  void take(size_t blob, size_t offset, size_t bytes) {
    const auto first = taken_[blob].begin() + static_cast<std::ptrdiff_t>(offset / kLineBytes);
    std::fill_n(first, to_line(bytes) / kLineBytes, true);
  }

 private:
  std::vector<std::vector<bool>> taken_;
};

// Whether `wanted` stands at `data`, but for the runs.
bool equal_outside(const std::byte* data, const Bytes& wanted, const std::vector<ByteRun>& runs) {
  size_t from = 0;
  for (const ByteRun& run : runs) {
    if (std::memcmp(data + from, wanted.data() + from, run.begin - from) != 0) return false;
    from = run.end;
  }
  return std::memcmp(data + from, wanted.data() + from, wanted.size() - from) == 0;
}

struct Place {
  size_t blob, offset;
};

class Locator {
 public:
  Locator(Located& located, const darwinn::File& file) : located_(located), claims_(located.blobs) {
    for (const darwinn::CompiledOp& op : file.ops) {
      for (const darwinn::Package& package : op.packages) {
        for (const darwinn::Executable& e : package.executables) add_output_factors(e);
      }
    }
  }

  // Larger layers first: what is small may stand in many places.
  void layers() {
    std::vector<size_t> order;
    for (size_t i = 0; i < located_.layers.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return located_.layers[a].shape.bytes() > located_.layers[b].shape.bytes();
    });
    for (const size_t i : order) {
      if (!layer(i)) located_.missing.push_back(i);
    }
    std::sort(located_.missing.begin(), located_.missing.end());
  }

  bool constant(PieceKind kind, const std::string& label, Bytes expected) {
    if (expected.empty()) return false;
    const auto place = find(expected, {});
    if (!place) return false;
    Piece piece;
    piece.kind = kind;
    piece.label = label;
    take(*place, std::move(piece), std::move(expected));
    return true;
  }

  // Where a model is streamed in part, the last line may be in another blob than the tables.
  void softmax(const ReferenceSoftmax& s) {
    const Bytes whole = softmax_tables(s.length, s.input_scale);
    if (whole.empty() || constant(PieceKind::softmax, s.label, whole)) return;
    const auto last = whole.end() - static_cast<std::ptrdiff_t>(kLineBytes);
    if (constant(PieceKind::softmax, s.label, {whole.begin(), last})) {
      constant(PieceKind::softmax, s.label, {last, whole.end()});
    }
  }

 private:
  void add_output_factors(const darwinn::Executable& e) {
    for (const darwinn::Layer& l : e.outputs) {
      if (l.numerics) factors_.push_back(l.numerics->factor);
    }
  }

  // The first free place, at a multiple of a line.
  std::optional<Place> find(const Bytes& wanted, const std::vector<ByteRun>& open) const {
    for (size_t b = 0; b < located_.blobs.size(); ++b) {
      const ByteSpan data = located_.blobs[b].bytes;
      for (size_t at = 0; at + wanted.size() <= data.size(); at += kLineBytes) {
        if (equal_outside(data.data() + at, wanted, open) && claims_.free(b, at, wanted.size())) {
          return Place{b, at};
        }
      }
    }
    return std::nullopt;
  }

  void take(const Place& place, Piece piece, Bytes expected) {
    const std::byte* found = located_.blobs[place.blob].bytes.data() + place.offset;
    piece.blob = place.blob;
    piece.offset = place.offset;
    piece.bytes = expected.size();
    for (size_t i = 0; i < expected.size(); ++i) piece.explained += expected[i] == found[i];
    piece.expected = std::move(expected);
    claims_.take(place.blob, place.offset, piece.bytes);
    located_.explained[place.blob] += static_cast<int64_t>(piece.explained);
    located_.pieces.push_back(std::move(piece));
  }

  // The form with the header of the compiler's rule; some compilers keep a bias that is all zero.
  bool layer(size_t index) {
    const ReferenceLayer& l = located_.layers[index];
    BlockShape shape = l.shape;
    if (try_orders(index, shape)) return true;
    if (shape.has_bias || l.content.bias.empty()) return false;
    shape.has_bias = true;
    return try_orders(index, shape);
  }

  bool try_orders(size_t index, BlockShape shape) {
    if (try_shape(index, shape)) return true;
    if (!shape.ordered()) return false;
    shape.order = LineOrder::input_inner;
    return try_shape(index, shape);
  }

  bool try_shape(size_t index, const BlockShape& shape) {
    const ReferenceLayer& l = located_.layers[index];
    BlockContent content = l.content;
    content.scales = l.effective_scales(l.output_scales[0]);
    Bytes expected = write_block(shape, content);
    const auto place = find(expected, scale_runs(shape));
    if (!place) return false;
    Piece piece;
    piece.label = l.label;
    piece.layer = index;
    piece.shape = shape;
    explain_scales(l, *place, content, expected, piece);
    take(*place, std::move(piece), std::move(expected));
    return true;
  }

  // Which output scale gives the scales that stand there.
  void explain_scales(const ReferenceLayer& l, const Place& place, BlockContent& content,
                      Bytes& expected, Piece& piece) const {
    const std::byte* found = located_.blobs[place.blob].bytes.data() + place.offset;
    std::vector<float> candidates = l.output_scales;
    candidates.insert(candidates.end(), factors_.begin(), factors_.end());
    for (const float scale : candidates) {
      content.scales = l.effective_scales(scale);
      Bytes bytes = write_block(piece.shape, content);
      if (std::memcmp(bytes.data(), found, bytes.size()) != 0) continue;
      expected = std::move(bytes);
      piece.output_scale = scale;
      return;
    }
  }

  Located& located_;
  Claims claims_;
  std::vector<float> factors_;  // scales of the executables' outputs
};

}  // namespace

std::string_view name(PieceKind kind) {
  switch (kind) {
    case PieceKind::layer:
      return "layer";
    case PieceKind::softmax:
      return "softmax tables";
    case PieceKind::selection:
      return "selection matrix";
    case PieceKind::constant:
      break;
  }
  return "constant";
}

std::vector<Blob> blobs_of(const darwinn::File& file) {
  std::vector<Blob> blobs;
  for (size_t o = 0; o < file.ops.size(); ++o) {
    for (size_t p = 0; p < file.ops[o].packages.size(); ++p) {
      const auto& executables = file.ops[o].packages[p].executables;
      for (size_t e = 0; e < executables.size(); ++e) {
        const darwinn::Executable& x = executables[e];
        if (x.parameters.empty()) continue;
        blobs.push_back({{o, p, e}, x.type, x.parameter_place, x.parameters});
      }
    }
  }
  return blobs;
}

const Piece* Located::piece_of(size_t layer) const {
  for (const Piece& p : pieces) {
    if (p.kind == PieceKind::layer && p.layer == layer) return &p;
  }
  return nullptr;
}

int64_t Located::total() const {
  int64_t sum = 0;
  for (const Blob& b : blobs) sum += static_cast<int64_t>(b.bytes.size());
  return sum;
}

int64_t Located::total_explained() const {
  int64_t sum = 0;
  for (const int64_t bytes : explained) sum += bytes;
  return sum;
}

Located locate(const darwinn::File& file, const Graph& reference) {
  Located located;
  located.blobs = blobs_of(file);
  located.layers = reference_layers(reference);
  located.explained.assign(located.blobs.size(), 0);
  Locator locator(located, file);
  locator.layers();
  for (const ReferenceSoftmax& s : reference_softmaxes(reference)) {
    locator.softmax(s);
  }
  for (const ReferenceConstant& c : reference_constants(reference)) {
    locator.constant(PieceKind::constant, c.label, c.bytes);
  }
  const std::vector<int> counts = moved_counts(reference);
  for (auto n = counts.rbegin(); n != counts.rend(); ++n) {
    locator.constant(PieceKind::selection, std::to_string(*n) + " values", selection_matrix(*n));
  }
  std::sort(located.pieces.begin(), located.pieces.end(), [](const Piece& a, const Piece& b) {
    return a.blob != b.blob ? a.blob < b.blob : a.offset < b.offset;
  });
  return located;
}

}  // namespace edgetwin::edgetpu
