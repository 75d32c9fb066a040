#include "targets/edgetpu/decompile/places/last_reshape.h"

#include <algorithm>

#include "targets/edgetpu/decompile/operands/moved_forms.h"
#include "targets/edgetpu/decompile/places/made_places.h"

namespace edgetwin::edgetpu {
namespace {

bool reads(const Operand& o, Producer p) { return std::ranges::find(o.from, p) != o.from.end(); }

// Functions have the size that the network gives them: their rows are compared with it.
bool by_constant(const DecompiledLayer& l) { return l.by_constant && l.problem.empty(); }

// Whether it is all of one picture in its order.
bool only_other_rows(const Operand& o, const Extent2D& from) {
  if (o.moved.size() != 1 || o.from.size() != 1) return false;
  const MovedPart& part = o.moved.front();
  const bool whole =
      part.from == o.from && part.taken == ChannelRange{0, from.c} && part.chunk == from.c;
  const auto form =
      whole ? form_of({part.places, o.width, 0, 0, o.height, o.width}, from) : std::nullopt;
  return form && form->kind == MovedForm::Kind::reshape;
}

// Whether the host alone takes it, as it is.
bool is_last(const LayerSearch& search, Producer p) {
  const auto reads_it = [&](const Operand& o) { return reads(o, p); };
  const bool read = std::ranges::any_of(search.result.layers, [&](const DecompiledLayer& l) {
    return std::ranges::any_of(l.inputs, reads_it);
  });
  return !read && std::ranges::none_of(search.result.outputs, [&](const DecompiledOutput& o) {
    return reads_it(o.from) && (!o.from.moved.empty() || o.from.from.size() != 1);
  });
}

}  // namespace

void keep_last_rows(LayerSearch& search) {
  const MadePlaces places(search);
  for (size_t l = 0; l < search.result.layers.size(); ++l) {
    DecompiledLayer& layer = search.result.layers[l];
    if (!by_constant(layer)) continue;
    Operand& o = layer.inputs.front();
    if (o.from.empty()) continue;
    const Extent2D from = places.extent(o.from.front());
    if (!only_other_rows(o, from) || !is_last(search, static_cast<Producer>(l))) continue;
    o = Operand{{o.from.front()}, 0, {}};
    layer.in = layer.out = from;
  }
}

}  // namespace edgetwin::edgetpu
