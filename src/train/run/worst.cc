#include <algorithm>

#include "image/image.h"
#include "train/losses/losses.h"
#include "train/run/page.h"

namespace edgetwin::train {
namespace {

// Grey of the first channel, or the three channels as colours.
Bytes picture_of(const DataSet& d, uint32_t item) {
  if (d.height < 2 || d.width < 2) return {};
  const int channels = d.channels == 3 ? 3 : 1;
  Result<Tensor> made = Tensor::zeros(DType::uint8, {d.height, d.width, channels});
  if (!made) return {};
  const auto places = static_cast<size_t>(d.height) * static_cast<size_t>(d.width);
  const uint8_t* in = d.bytes.data() + item * d.item_size();
  auto out = made->as<uint8_t>();
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
    for (size_t p = 0; p < places; ++p) {
      out[p * static_cast<size_t>(channels) + c] = in[c * places + p];
    }
  }
  Result<Bytes> png = encode_png(*made);
  return png ? *png : Bytes();
}

}  // namespace

std::vector<WorstItem> worst_items(Model& model, const Data& data, size_t count, ThreadPool& pool) {
  if (data.test.kind != TargetKind::classes) return {};
  struct Scored {
    double loss;
    uint32_t item;
    int predicted;
  };
  std::vector<Scored> all;
  const std::vector<uint32_t> items = all_indices(data.test.items());
  evaluate(model, Objective(), data.test, items, pool, [&](const Maps& outputs, size_t first) {
    for (int i = 0; i < outputs.n; ++i) {
      const float* own = outputs.at(i, 0, 0);
      const auto item = static_cast<uint32_t>(first + static_cast<size_t>(i));
      const double loss =
          log_sum_exp(own, outputs.c) - static_cast<double>(own[data.test.labels[item]]);
      all.push_back({loss, item, best_class(own, outputs.c)});
    }
  });
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored& a, const Scored& b) { return a.loss > b.loss; });
  if (all.size() > count) all.resize(count);
  std::vector<WorstItem> worst;
  for (const Scored& s : all) {
    worst.push_back({s.item, s.loss, data.classes[static_cast<size_t>(data.test.labels[s.item])],
                     data.classes[static_cast<size_t>(s.predicted)],
                     picture_of(data.test, s.item)});
  }
  return worst;
}

}  // namespace edgetwin::train
