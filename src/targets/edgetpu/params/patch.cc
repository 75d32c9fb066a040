#include "targets/edgetpu/params/patch.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/params/quantize.h"
#include "targets/edgetpu/params/tensor_numbers.h"

namespace edgetwin::edgetpu {
namespace {

const darwinn::Package& package_of(const darwinn::File& file, const Blob& blob) {
  return file.ops[blob.id.op].packages[blob.id.package];
}

ByteSpan bytes_of(const Located& located, const Piece& piece) {
  return located.blobs[piece.blob].bytes.subspan(piece.offset, piece.bytes);
}

// The multiplier of a layer that has one, as the compiler forms it.
float multiplier_of(const ReferenceLayer& l, float weight_scale, float output_scale) {
  return (l.input_scale * weight_scale) * (1.0F / output_scale);
}

// Instructions of a layer whose multiplier is in them.
struct LayerProgram {
  std::vector<TensorPlace> places;
  float output_scale = 0.0F;
};

class Multipliers {
 public:
  Multipliers(const darwinn::File& file, const Located& located) : file_(file), located_(located) {}

  // Error: params_template where they cannot be told from those of another layer.
  Result<LayerProgram> find(size_t index, const Piece& piece) const {
    const ReferenceLayer& l = located_.layers[index];
    const Blob& blob = located_.blobs[piece.blob];
    const darwinn::Executable* e = package_of(file_, blob).inference();
    if (e == nullptr) return refuse(l, "the compiled model has no program");
    const std::vector<TensorPlace> all = weighted_tensors(*e);
    for (const float scale : candidates(l, *e)) {
      LayerProgram found{{}, scale};
      for (const TensorPlace& t : all) {
        if (fits(l, piece, t.numbers, scale)) found.places.push_back(t);
      }
      if (found.places.empty()) continue;
      EDGETWIN_TRY(check_alone(index, found));
      return found;
    }
    return refuse(l, "no instruction has this layer's multiplier");
  }

 private:
  static Error refuse(const ReferenceLayer& l, const std::string& what) {
    return Error(ErrorCode::params_template, what).in_layer(l.label);
  }

  static std::vector<float> candidates(const ReferenceLayer& l, const darwinn::Executable& e) {
    std::vector<float> scales = l.output_scales;
    for (const darwinn::Layer& out : e.outputs) {
      if (out.numerics) scales.push_back(out.numerics->factor);
    }
    return scales;
  }

  static bool fits(const ReferenceLayer& l, const Piece& piece, const TensorNumbers& n,
                   float output_scale) {
    const float m = multiplier_of(l, l.weight_scales[0], output_scale);
    const bool zero = piece.shape.has_zero || n.weight_zero_point == l.content.zero_points[0];
    return std::bit_cast<uint32_t>(n.multiplier) == std::bit_cast<uint32_t>(m) && zero &&
           n.channel_zero_points == piece.shape.has_zero && n.has_bias == piece.shape.has_bias &&
           !n.has_scales;
  }

  // Another layer with the same numbers would be changed too; instructions that differ in other
  // numbers cannot be of one layer.
  Status check_alone(size_t index, const LayerProgram& found) const {
    const ReferenceLayer& l = located_.layers[index];
    for (const TensorPlace& t : found.places) {
      if (!(t.numbers == found.places[0].numbers)) {
        return refuse(l, "several layers share this layer's multiplier");
      }
    }
    for (const Piece& p : located_.pieces) {
      if (p.kind != PieceKind::layer || p.layer == index || p.shape.has_scale) continue;
      const ReferenceLayer& other = located_.layers[p.layer];
      for (const float scale : other.output_scales) {
        if (fits(other, p, found.places[0].numbers, scale)) {
          return refuse(l, "layer " + other.label + " has the same multiplier");
        }
      }
    }
    return Ok{};
  }

  const darwinn::File& file_;
  const Located& located_;
};

class Patcher {
 public:
  Patcher(const Bytes& data, const darwinn::File& file, const Located& located)
      : file_(file), located_(located), multipliers_(file, located) {
    result_.file = data;
  }

  Status layer(const LayerPatch& wanted) {
    EDGETWIN_TRY_ASSIGN(const size_t index, find_layer(located_, wanted.layer));
    EDGETWIN_TRY_ASSIGN(const BlockContent old, content_of(located_, index));
    const ReferenceLayer& l = located_.layers[index];
    const Piece& piece = *located_.piece_of(index);
    EDGETWIN_TRY_ASSIGN(NewNumbers now, new_numbers(l, piece, old, wanted));
    PatchedLayer done{.label = l.label,
                      .blob = piece.blob,
                      .offset = piece.offset,
                      .bytes = piece.bytes,
                      .limited = now.limited,
                      .new_scales = now.new_scales,
                      .new_bias = now.new_bias,
                      .rescaled_bias = now.rescaled_bias};
    if (now.new_scales && !piece.shape.has_scale) {
      EDGETWIN_TRY(put_multiplier(index, piece, now.weight_scales[0], done));
    }
    EDGETWIN_TRY(put_block(piece, write_block(piece.shape, now.content), done));
    result_.layers.push_back(done);
    return Ok{};
  }

  Result<Patched> finish() && { return std::move(result_); }

 private:
  Status put_block(const Piece& piece, const Bytes& block, PatchedLayer& done) {
    const ByteSpan old = bytes_of(located_, piece);
    for (size_t i = 0; i < block.size(); ++i) done.changed += block[i] != old[i];
    const darwinn::Extent& place = located_.blobs[piece.blob].place;
    return darwinn::overwrite(result_.file, {place.offset + piece.offset, block.size()}, block);
  }

  Status put_multiplier(size_t index, const Piece& piece, float weight_scale, PatchedLayer& done) {
    EDGETWIN_TRY_ASSIGN(const LayerProgram program, multipliers_.find(index, piece));
    const darwinn::Executable& e = *package_of(file_, located_.blobs[piece.blob]).inference();
    const float m = multiplier_of(located_.layers[index], weight_scale, program.output_scale);
    for (const TensorPlace& t : program.places) {
      const darwinn::Extent& place = e.bitstreams[t.chunk].place;
      const auto begin = result_.file.begin() + static_cast<std::ptrdiff_t>(place.offset);
      Bytes stream(begin, begin + static_cast<std::ptrdiff_t>(place.size));
      set_multiplier(stream, t.byte, m);
      EDGETWIN_TRY(darwinn::overwrite(result_.file, place, stream));
      ++done.instructions;
    }
    return Ok{};
  }

  const darwinn::File& file_;
  const Located& located_;
  Multipliers multipliers_;
  Patched result_;
};

Error failed(const std::string& what) { return Error(ErrorCode::params_check, what); }

// What was written is read again: the container, every program, and all but the parameters and
// programs must be as before.
Status check_again(const Patched& patched, const darwinn::File& before, const Located& located) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File after, darwinn::read(patched.file, "the patched model"));
  if (after.ops.size() != before.ops.size()) return failed("operators are missing");
  for (const darwinn::BitstreamId& id : darwinn::all_bitstreams(after)) {
    const darwinn::Bitstream* now = darwinn::find(after, id);
    const darwinn::Bitstream* old = darwinn::find(before, id);
    EDGETWIN_TRY(parse_whole(now->data));
    if (old == nullptr || !(old->field_offsets == now->field_offsets)) {
      return failed("the address fields of a program changed");
    }
  }
  darwinn::File same = after;
  for (size_t o = 0; o < same.ops.size(); ++o) {
    for (size_t p = 0; p < same.ops[o].packages.size(); ++p) {
      auto& executables = same.ops[o].packages[p].executables;
      const auto& old = before.ops[o].packages[p].executables;
      if (executables.size() != old.size()) return failed("executables are missing");
      for (size_t e = 0; e < executables.size(); ++e) {
        executables[e].parameters = old[e].parameters;
        executables[e].bitstreams = old[e].bitstreams;
      }
    }
  }
  if (check(after).has_errors() && !check(before).has_errors()) {
    return failed("a program of the patched model has errors");
  }
  if (!(same == before)) return failed("something else than parameters and programs changed");
  const std::vector<Blob> blobs = blobs_of(after);
  if (blobs.size() != located.blobs.size()) return failed("parameters are missing");
  for (size_t b = 0; b < blobs.size(); ++b) {
    for (size_t i = 0; i < blobs[b].bytes.size(); ++i) {
      if (blobs[b].bytes[i] == located.blobs[b].bytes[i]) continue;
      const bool inside =
          std::any_of(patched.layers.begin(), patched.layers.end(), [&](const PatchedLayer& l) {
            return l.blob == b && i >= l.offset && i < l.offset + l.bytes;
          });
      if (!inside) return failed("parameters of another layer changed");
    }
  }
  return Ok{};
}

}  // namespace

Result<size_t> find_layer(const Located& located, const std::string& word) {
  const std::string number = word.starts_with('#') ? word.substr(1) : word;
  size_t op = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), op);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == number.data() + number.size();
  for (size_t i = 0; i < located.layers.size(); ++i) {
    const ReferenceLayer& l = located.layers[i];
    if ((is_number && l.op == op) || l.label == word || l.name == word) return i;
  }
  std::string known;
  for (size_t i = 0; i < located.layers.size() && i < 5; ++i) {
    known += (i == 0 ? "" : ", ") + located.layers[i].label;
  }
  if (located.layers.size() > 5) known += ", …";
  return Error(ErrorCode::params_layer, "there is no layer '" + word + "'")
      .with_hint(known.empty() ? "Without --reference only models of one layer are understood."
                               : "There are " + known);
}

Result<BlockContent> content_of(const Located& located, size_t layer) {
  const ReferenceLayer& l = located.layers[layer];
  const Piece* piece = located.piece_of(layer);
  if (piece == nullptr) {
    return Error(ErrorCode::params_template,
                 l.shape.ordered() && located.pieces.empty()
                     ? "the order of this layer's lines cannot be told without its weights"
                     : "the compiled model has no parameters of this layer")
        .in_layer(l.label)
        .with_hint(l.shape.ordered() && located.pieces.empty()
                       ? "Give the uncompiled model with --reference."
                       : "The compiler left it to the host, or the models do not belong together.");
  }
  return read_block(piece->shape, bytes_of(located, *piece), l.content.zero_points[0]);
}

Result<Patched> patch(const Bytes& data, const darwinn::File& file, const Located& located,
                      const std::vector<LayerPatch>& patches) {
  Patcher patcher(data, file, located);
  for (const LayerPatch& p : patches) EDGETWIN_TRY(patcher.layer(p));
  EDGETWIN_TRY_ASSIGN(Patched patched, std::move(patcher).finish());
  EDGETWIN_TRY(check_again(patched, file, located));
  return patched;
}

}  // namespace edgetwin::edgetpu
