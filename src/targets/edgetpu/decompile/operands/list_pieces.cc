#include "targets/edgetpu/decompile/operands/list_pieces.h"

#include "targets/edgetpu/decompile/operands/piece_chains.h"
#include "targets/edgetpu/decompile/stages/channel_words.h"

namespace edgetwin::edgetpu {
namespace {

class Joiner {
 public:
  explicit Joiner(LayerSearch& search)
      : search_(search), all_(search.result.layers), chains_(search, false) {}

  void run() {
    for (DecompiledLayer& l : all_) {
      if (is_function(l) && l.inputs.size() == 1 && l.inputs[0].row_channels > 0) join(l);
    }
    chains_.erase();
  }

 private:
  void join(DecompiledLayer& function) {
    Operand& list = function.inputs[0];
    std::vector<Chain> chains;
    for (const Producer p : list.from) chains.push_back(chains_.chain_of(p));
    for (size_t first = 0; first < chains.size(); ++first) {
      size_t end = first + 1;
      while (end < chains.size() && chains_.alike(chains[first], chains[end])) ++end;
      const std::vector<Chain> pieces(chains.begin() + static_cast<long>(first),
                                      chains.begin() + static_cast<long>(end));
      if (pieces.size() < 2 || !take_turns(function, pieces, first == 0)) continue;
      for (size_t k = 1; k < pieces.size(); ++k) chains_.take(pieces[0], pieces[k]);
      const auto from = list.from.begin() + static_cast<long>(first) + 1;
      list.from.erase(from, from + static_cast<long>(pieces.size() - 1));
      chains.erase(chains.begin() + static_cast<long>(first) + 1,
                   chains.begin() + static_cast<long>(end));
    }
  }

  bool take_turns(const DecompiledLayer& function, const std::vector<Chain>& pieces,
                  bool begin) const {
    const int row = function.inputs[0].row_channels;
    constexpr int kWord = 4;
    std::vector<int64_t> words;
    std::map<Owner, size_t> piece_of;
    for (size_t k = 0; k < pieces.size(); ++k) {
      const DecompiledLayer& l = all_[pieces[k].front()];
      words.push_back(int64_t{l.out.c} / row * (round4(row) / kWord));
      for (const size_t s : l.stages) piece_of[static_cast<Owner>(s) + kFirstStage] = k;
    }
    std::vector<std::vector<OwnedRun>> tiles;
    for (const size_t s : function.stages) {
      const auto& runs = search_.stages()[s].runs;
      tiles.insert(tiles.end(), runs.begin(), runs.end());
    }
    return pieces_take_turns(tiles, words, piece_of, begin);
  }

  LayerSearch& search_;
  std::vector<DecompiledLayer>& all_;
  ChainJoiner chains_;
};

}  // namespace

bool pieces_take_turns(const std::vector<std::vector<OwnedRun>>& tiles,
                       const std::vector<int64_t>& of_each, const std::map<Owner, size_t>& piece_of,
                       bool begin) {
  const size_t pieces = of_each.size();
  if (begin && !tiles.empty() && !tiles[0].empty()) {
    const auto at = piece_of.find(tiles[0][0].owner);
    if (at == piece_of.end() || at->second != 0) return false;
  }
  int64_t turns = 0, again = 0, others = 0, left = 0;
  for (const std::vector<OwnedRun>& runs : tiles) {
    std::optional<size_t> before;
    for (const OwnedRun& r : runs) {
      const auto at = piece_of.find(r.owner);
      if (at == piece_of.end()) {
        left += before ? 1 : 0;
        before.reset();
        continue;
      }
      const size_t piece = at->second;
      // Where a row of the list ends in a tile, two parts of a piece may meet.
      if (piece >= pieces || r.words > 2 * of_each[piece]) return false;
      if (before) ++((*before + 1) % pieces == piece ? turns : others);
      again += before && piece == 0 ? 1 : 0;
      before = piece;
    }
  }
  // More often than something else the first one comes after the last one.
  return turns >= static_cast<int64_t>(pieces) && turns > others && again > left;
}

void join_list_pieces(LayerSearch& search) { Joiner(search).run(); }

}  // namespace edgetwin::edgetpu
