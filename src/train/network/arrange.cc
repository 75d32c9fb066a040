#include "train/network/arrange.h"

namespace edgetwin::train {
namespace {

// Copies `channels` channels of each place, from channel `from` of `in` to channel `to` of `out`.
template <class T>
void copy_channels(const MapsOf<T>& in, int from, MapsOf<T>& out, int to, int channels) {
  const int64_t places = int64_t{in.n} * in.h * in.w;
  for (int64_t p = 0; p < places; ++p) {
    const T* source = in.values.data() + p * in.c + from;
    std::copy(source, source + channels, out.values.data() + p * out.c + to);
  }
}

template <class T>
MapsOf<T> joined(const std::vector<const MapsOf<T>*>& sources) {
  int channels = 0;
  for (const MapsOf<T>* s : sources) channels += s->c;
  MapsOf<T> out(sources[0]->n, sources[0]->h, sources[0]->w, channels);
  int at = 0;
  for (const MapsOf<T>* s : sources) {
    copy_channels(*s, 0, out, at, s->c);
    at += s->c;
  }
  return out;
}

// Rows `first` to `first + rows`; or the opposite: put back between rows of zeros.
template <class T>
MapsOf<T> rows_of(const MapsOf<T>& in, int first, int rows) {
  MapsOf<T> out(in.n, rows, in.w, in.c);
  for (int item = 0; item < in.n; ++item) {
    for (int y = 0; y < rows; ++y) {
      if (y + first < 0 || y + first >= in.h) continue;
      const T* row = in.at(item, y + first, 0);
      std::copy(row, row + int64_t{in.w} * in.c, out.at(item, y, 0));
    }
  }
  return out;
}

bool crops(const NetworkLayer& layer) { return layer.crop[0] != 0 || layer.crop[1] != 0; }
bool joins_channels(const NetworkLayer& layer) {
  return layer.sources.size() > 1 && layer.spec.eltwise == ai8x::Eltwise::none;
}

template <class T>
MapsOf<T> moved(const NetworkLayer& layer, MapsOf<T> maps) {
  if (crops(layer)) maps = rows_of(maps, layer.crop[0], maps.h - layer.crop[0] - layer.crop[1]);
  if (layer.view) maps = viewed(maps, layer.view->h, layer.view->w);
  return maps;
}

Maps moved_gradient(const NetworkLayer& layer, const Maps& source, Maps gradient) {
  const int rows = source.h - layer.crop[0] - layer.crop[1];
  if (layer.view) gradient = viewed(gradient, rows, source.w);
  if (crops(layer)) gradient = rows_of(gradient, -layer.crop[0], source.h);
  return gradient;
}

}  // namespace

bool reads_directly(const NetworkLayer& layer) {
  return !joins_channels(layer) && !crops(layer) && !layer.view;
}

template <class T>
std::vector<MapsOf<T>> arranged(const NetworkLayer& layer,
                                const std::vector<const MapsOf<T>*>& sources) {
  std::vector<MapsOf<T>> result;
  if (joins_channels(layer)) {
    result.push_back(moved(layer, joined(sources)));
  } else {
    for (const MapsOf<T>* s : sources) result.push_back(moved(layer, *s));
  }
  return result;
}

template std::vector<Maps> arranged(const NetworkLayer&, const std::vector<const Maps*>&);
template std::vector<IntMaps> arranged(const NetworkLayer&, const std::vector<const IntMaps*>&);

std::vector<Maps> arranged_gradient(const NetworkLayer& layer,
                                    const std::vector<const Maps*>& sources,
                                    std::vector<Maps> gradients) {
  for (Maps& g : gradients) g = moved_gradient(layer, *sources[0], std::move(g));
  if (!joins_channels(layer)) return gradients;
  std::vector<Maps> result;
  int at = 0;
  for (const Maps* s : sources) {
    Maps& own = result.emplace_back(s->n, s->h, s->w, s->c);
    copy_channels(gradients[0], at, own, 0, s->c);
    at += s->c;
  }
  return result;
}

}  // namespace edgetwin::train
