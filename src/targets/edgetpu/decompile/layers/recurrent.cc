#include "targets/edgetpu/decompile/layers/recurrent.h"

#include "targets/edgetpu/decompile/layers/lstm_layer.h"
#include "targets/edgetpu/decompile/operands/byte_follower.h"

namespace edgetwin::edgetpu {
namespace {

Follower follower(const LayerSearch& search) {
  return {search.result.replay, search.result.layers, search.layer_of};
}

// Matrices that only bring bytes elsewhere, and through which they were followed, are no layers
// that anybody needs.
void pass_through(LayerSearch& search, const Follower& f) {
  for (const size_t l : f.through()) {
    search.result.layers[l].problem.clear();
    search.result.layers[l].followed = true;
  }
}

}  // namespace

void finish_lstm(LayerSearch& search, DecompiledLayer& layer) {
  Follower f = follower(search);
  read_lstm(layer, *search.lstm,
            {search.inference, search.caching, search.resident, search.result.replay}, f,
            search.used_dense);
  if (layer.problem.empty()) pass_through(search, f);
}

bool reads_lstm(LayerSearch& search, DecompiledLayer& layer) {
  const Stage& stage = search.stages()[layer.stages.front()];
  if (!search.lstm_layer || stage.row.empty() || layer.type != LayerType::conv) return false;
  const DecompiledLayer& from = search.result.layers[*search.lstm_layer];
  if (&from >= &layer || !from.problem.empty()) return false;
  const int64_t count = int64_t{from.out.w} * from.out.c;
  Follower f = follower(search);
  const auto request = f.rows(stage.row, count, 0, from.out.c, lstm_row_bytes(from));
  if (!request || *request < search.result.replay.requests.size() ||
      (count + 3) / 4 != static_cast<int64_t>(stage.row.size())) {
    return false;
  }
  pass_through(search, f);
  layer.inputs = {Operand{{static_cast<Producer>(*search.lstm_layer)}}};
  return true;
}

}  // namespace edgetwin::edgetpu
