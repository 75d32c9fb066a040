#include "targets/edgetpu/decompile/layers/left_lists.h"

#include <algorithm>
#include <optional>

#include "targets/edgetpu/decompile/operands/piece_chains.h"
#include "targets/edgetpu/decompile/operands/row_filler.h"
#include "targets/edgetpu/decompile/places/left_words.h"
#include "targets/edgetpu/decompile/places/made_places.h"
#include "targets/edgetpu/decompile/stages/channel_words.h"
#include "targets/edgetpu/decompile/stages/parted_output.h"

namespace edgetwin::edgetpu {
namespace {

// By row of the list its first word. Empty: its words are not known, or are not beside each other.
std::vector<PictureWord> first_words(const darwinn::Layer& output, const std::vector<MadeAt>& left,
                                     MadePlaces& known) {
  const std::vector<uint32_t> bytes = places_of_bytes(output);
  const auto channels = static_cast<size_t>(std::max(output.z_dim, 1));
  std::vector<PictureWord> rows;
  for (size_t n = 0; n < bytes.size(); ++n) {
    const size_t channel = n % channels;
    if (channel % kSentWord != 0) {
      if (bytes[n] != bytes[n - 1] + 1) return {};
      continue;
    }
    if (bytes[n] % kSentWord != 0 || bytes[n] / kSentWord >= left.size()) return {};
    const auto at = known.at(left[bytes[n] / kSentWord]);
    if (!at || at->from < 0) return {};
    if (channel == 0) rows.push_back(*at);
    const auto word = static_cast<int32_t>(channel / kSentWord);
    const PictureWord wanted{rows.back().from, rows.back().position, rows.back().word + word};
    if (*at != wanted) return {};
  }
  return rows;
}

// Rows of a list as pictures.
class RowReader {
 public:
  RowReader(const std::vector<PictureWord>& rows, int channels, const MadePlaces& known)
      : rows_(rows), words_(round4(channels) / static_cast<int>(kSentWord)), known_(known) {}

  // Empty: another order.
  std::vector<LeftPictures> run() {
    std::vector<LeftPictures> all;
    while (next_ < rows_.size()) {
      LeftPictures part = first_position();
      if (part.pieces.empty() || !whole(part) || !others(part)) return {};
      all.push_back(std::move(part));
    }
    return all;
  }

 private:
  LeftPictures first_position() const {
    LeftPictures part;
    const Extent2D first = known_.extent(rows_[next_].from);
    part.positions = int64_t{first.h} * first.w;
    for (size_t n = next_; n < rows_.size() && rows_[n].position == 0; ++n) {
      const PictureWord& r = rows_[n];
      if (r.word != 0) {
        if (part.pieces.empty() || part.pieces.back().from != r.from) break;
        ++part.pieces.back().count;
        continue;
      }
      const Extent2D e = known_.extent(r.from);
      if (e.h != first.h || e.w != first.w) break;
      part.pieces.push_back({r.from, 1});
    }
    return part;
  }

  // The rows of a piece are all its channels.
  bool whole(const LeftPictures& part) const {
    return std::ranges::all_of(part.pieces, [&](const ListPiece& p) {
      const int channels = round4(known_.extent(p.from).c);
      return int64_t{p.count} * words_ * static_cast<int64_t>(kSentWord) == channels;
    });
  }

  // All positions are as the first one.
  bool others(const LeftPictures& part) {
    for (int64_t position = 0; position < part.positions; ++position) {
      for (const ListPiece& p : part.pieces) {
        for (int32_t k = 0; k < p.count; ++k, ++next_) {
          const PictureWord wanted{p.from, static_cast<int32_t>(position), k * words_};
          if (next_ >= rows_.size() || rows_[next_] != wanted) return false;
        }
      }
    }
    return true;
  }

  const std::vector<PictureWord>& rows_;
  const int32_t words_;
  const MadePlaces& known_;
  size_t next_ = 0;
};

class ListTaker {
 public:
  explicit ListTaker(LayerSearch& search)
      : search_(search), all_(search.result.layers), chains_(search, true) {}

  void run(const std::vector<std::vector<LeftPictures>>& lists) {
    std::vector<DecompiledOutput>& outputs = search_.result.outputs;
    const std::vector<DecompiledOutput> before = outputs;
    for (DecompiledOutput& o : outputs) note(lists[o.layer_index], o);
    for (size_t k = 0; k < outputs.size(); ++k) {
      const auto& list = lists[outputs[k].layer_index];
      if (!list.empty() && !take(outputs[k], list)) outputs[k].from = before[k].from;
    }
    chains_.erase();
  }

 private:
  const darwinn::Layer& layer_of(const DecompiledOutput& o) const {
    return search_.inference.outputs[o.layer_index];
  }

  // All pieces, so that their readers can be counted.
  void note(const std::vector<LeftPictures>& pictures, DecompiledOutput& output) const {
    if (pictures.empty()) return;
    output.from = Operand{{}, layer_of(output).z_dim};
    for (const LeftPictures& p : pictures) {
      for (const ListPiece& piece : p.pieces) output.from.from.push_back(piece.from);
    }
  }

  // False: its pieces are not those of one layer.
  bool take(DecompiledOutput& output, const std::vector<LeftPictures>& pictures) {
    std::vector<Producer> parts;
    for (const LeftPictures& p : pictures) {
      if (!add_part(p, layer_of(output).z_dim, parts)) return false;
    }
    output.from.from = parts;
    lift_functions(output);
    return true;
  }

  // What stands behind the last channel of a row only to fill its word.
  void cut_filler(const Chain& chain, const ListPiece& piece, int channels) {
    const int outs = piece.count * channels;
    if (chain.empty() || all_[chain[0]].out.c == outs) return;
    DecompiledLayer& made = all_[chain.back()];
    if (made.content.zero_points.empty() || !has_row_filler(made, channels)) return;
    cut_row_filler(made, channels);
    for (size_t k = 0; k + 1 < chain.size(); ++k) all_[chain[k]].in.c = all_[chain[k]].out.c = outs;
  }

  // Pieces of one convolution are one part; those of a single position may be parts of their own.
  bool add_part(const LeftPictures& p, int channels, std::vector<Producer>& parts) {
    std::vector<Chain> chains;
    for (const ListPiece& piece : p.pieces) {
      chains.push_back(chains_.chain_of(piece.from));
      cut_filler(chains.back(), piece, channels);
    }
    const bool one = chains.size() == 1 || std::ranges::all_of(chains, [&](const Chain& c) {
                       return chains_.alike(chains[0], c);
                     });
    if (!one && p.positions != 1) return false;
    for (size_t k = 0; k < p.pieces.size(); ++k) {
      if (one && k > 0) {
        chains_.take(chains[0], chains[k]);
      } else {
        parts.push_back(p.pieces[k].from);
      }
    }
    return true;
  }

  // What all parts pass with the same numbers may stand after the joining.
  void lift_functions(DecompiledOutput& output) {
    std::vector<Producer> made = output.from.from;
    const auto layer = [&](Producer p) -> const DecompiledLayer& {
      return all_[static_cast<size_t>(p)];
    };
    const bool alike = std::ranges::all_of(made, [&](Producer p) {
      const DecompiledLayer& l = layer(p);
      return is_function(l) && l.type == layer(made[0]).type && same_numbers(l, layer(made[0])) &&
             l.inputs.size() == 1 && l.inputs[0].from.size() == 1 && l.inputs[0].taken.empty() &&
             l.inputs[0].moved.empty() && chains_.readers(p) == 1;
    });
    if (!alike) return;
    Operand list = output.from;
    for (Producer& p : list.from) p = layer(p).inputs[0].from[0];
    const auto last = static_cast<size_t>(*std::ranges::max_element(made));
    for (const Producer p : made) {
      if (static_cast<size_t>(p) == last) continue;
      take_stages(search_, last, layer(p));
      chains_.drop(static_cast<size_t>(p));
    }
    const darwinn::Layer& left = layer_of(output);
    DecompiledLayer& function = all_[last];
    function.in = function.out = {1, left.y_dim * left.x_dim, left.z_dim};
    function.inputs = {std::move(list)};
    output.from = Operand{{static_cast<Producer>(last)}};
  }

  LayerSearch& search_;
  std::vector<DecompiledLayer>& all_;
  ChainJoiner chains_;
};

bool is_picture(const std::vector<LeftPictures>& all) {
  return all.size() == 1 && all[0].pieces.size() == 1 && all[0].pieces[0].count == 1;
}

// Parts that leave apart, or pictures of several sizes that are all of it.
bool may_be_list(const DecompiledOutput& o, const darwinn::Layer& output,
                 const MadePlaces& places) {
  if (leaves_in_parts(output)) return true;
  if (o.from.from.size() < 2 || !o.from.moved.empty() || !o.from.taken.empty()) return false;
  const Extent2D first = places.extent(o.from.from.front());
  bool alike = true;
  double bytes = 0;  // a file may claim any sizes
  for (const Producer p : o.from.from) {
    const Extent2D e = places.extent(p);
    alike = alike && e.h == first.h && e.w == first.w;
    bytes += double{1} * e.h * e.w * round4(e.c);
  }
  return !alike && bytes == double{1} * output.y_dim * output.x_dim * round4(output.z_dim);
}

}  // namespace

std::vector<std::vector<LeftPictures>> read_left_lists(
    const LayerSearch& search, const std::vector<DecompiledOutput>& outputs) {
  std::vector<std::vector<LeftPictures>> lists(search.inference.outputs.size());
  std::vector<std::vector<MadeAt>> words;
  MadePlaces places(search);
  for (const DecompiledOutput& o : outputs) {
    const darwinn::Layer& output = search.inference.outputs[o.layer_index];
    if (!may_be_list(o, output, places)) continue;
    if (words.empty()) words = words_by_output(search);
    if (words.empty()) return lists;
    const auto rows = first_words(output, words[o.layer_index], places);
    auto& list = lists[o.layer_index];
    list = RowReader(rows, output.z_dim, places).run();
    if (is_picture(list)) list.clear();
  }
  return lists;
}

void take_left_lists(LayerSearch& search, const std::vector<std::vector<LeftPictures>>& lists) {
  ListTaker(search).run(lists);
}

}  // namespace edgetwin::edgetpu
