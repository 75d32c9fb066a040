#include "targets/edgetpu/decompile/places/moved_output.h"

#include <algorithm>

#include "targets/edgetpu/decompile/places/left_words.h"
#include "targets/edgetpu/decompile/places/moved_operand.h"

namespace edgetwin::edgetpu {
namespace {

// Whether the output is one picture, or several of one size side by side. Others are
// lists.
bool has_one_size(const Operand& from, const MadePlaces& places) {
  if (from.from.empty() || from.row_channels != 0) return false;
  const Extent2D first = places.extent(from.from.front());
  return std::ranges::all_of(from.from, [&](Producer p) {
    const Extent2D e = places.extent(p);
    return e.h == first.h && e.w == first.w;
  });
}

std::optional<ReadView> view_of(const std::vector<MadeAt>& made, const darwinn::Layer& output,
                                MadePlaces& known) {
  const std::vector<uint32_t> bytes = places_of_bytes(output);
  ReadView v;
  v.height = output.y_dim, v.width = output.x_dim;
  v.words = (output.z_dim + 3) / 4;
  const auto channels = static_cast<size_t>(output.z_dim);
  for (size_t n = 0; n < bytes.size(); ++n) {
    const size_t channel = n % channels;
    const bool first = channel % kSentWord == 0;
    if (!first && bytes[n] != bytes[n - 1] + 1) return std::nullopt;
    if (!first) continue;
    if (bytes[n] % kSentWord != 0 || bytes[n] / kSentWord >= made.size()) return std::nullopt;
    const MadeAt& m = made[bytes[n] / kSentWord];
    ViewWord w;
    if (m.maker == kConstant) {
      w.kind = ViewWord::Kind::constant;
      w.constant = m.born;
    } else {
      const auto at = known.at(m);
      if (!at) return std::nullopt;
      w.kind = ViewWord::Kind::word;
      w.word = *at;
    }
    v.all.push_back(w);
  }
  const auto all =
      static_cast<size_t>(v.height) * static_cast<size_t>(v.width) * static_cast<size_t>(v.words);
  return v.all.size() == all && all > 0 ? std::optional(v) : std::nullopt;
}

}  // namespace

void find_moved_output(LayerSearch& search, const std::vector<TileWords>& made,
                       DecompiledOutput& output) {
  const darwinn::Layer& layer = search.inference.outputs[output.layer_index];
  if (layer.z_dim <= 0 || made.empty()) return;
  MadePlaces places(search);
  if (!has_one_size(output.from, places)) return;
  std::vector<ReadView> views;
  std::vector<SeenWindow> none;
  for (const bool by_tile : {true, false}) {
    auto view = view_of(in_order(made, by_tile, layer.size_bytes), layer, places);
    if (view) views.push_back(std::move(*view));
  }
  if (views.empty() || is_picture(views, places, none) ||
      take_moved(search, views, places, output.from, none)) {
    return;
  }
  Finding f;
  f.severity = Severity::warning;
  f.id = "TPU-DEC-02";
  f.place = "output " + std::to_string(output.layer_index) + " '" + layer.name + "'";
  f.message = "its positions changed places in a way that is not understood";
  search.result.findings.push_back(std::move(f));
}

}  // namespace edgetwin::edgetpu
