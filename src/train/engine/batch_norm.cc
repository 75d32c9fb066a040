#include "train/engine/batch_norm.h"

#include <cmath>

namespace edgetwin::train {
namespace {

// Sums of `terms` numbers per channel in binary64: add(item, place's values, sums).
template <class Add>
std::vector<double> sums_of(const Maps& maps, size_t terms, ThreadPool& pool, const Add& add) {
  const size_t size = terms * static_cast<size_t>(maps.c);
  std::vector<double> chunks(size * kChunks);
  const int64_t places = int64_t{maps.h} * maps.w;
  for_chunks(pool, [&](int chunk) {
    double* own = chunks.data() + size * static_cast<size_t>(chunk);
    const int64_t first = chunk_begin(maps.n, chunk) * places;
    const int64_t last = chunk_begin(maps.n, chunk + 1) * places;
    for (int64_t p = first; p < last; ++p) add(p * maps.c, own);
  });
  std::vector<double> sum(size);
  for (size_t chunk = 0; chunk < kChunks; ++chunk) {
    for (size_t i = 0; i < size; ++i) sum[i] += chunks[chunk * size + i];
  }
  return sum;
}

// Calls change(index of the first value, channels) for each place.
template <class Change>
void for_all_places(const Maps& maps, ThreadPool& pool, const Change& change) {
  const int64_t places = int64_t{maps.h} * maps.w;
  for_items(pool, maps.n, [&](int first, int last) {
    for (int64_t p = first * places; p < last * places; ++p) change(p * maps.c);
  });
}

struct Moments {
  std::vector<double> mean, variance;  // biased
};

Moments moments_of(const Maps& maps, ThreadPool& pool) {
  const auto channels = static_cast<size_t>(maps.c);
  const double count = static_cast<double>(maps.n) * maps.h * maps.w;
  const float* in = maps.values.data();
  Moments result;
  result.mean = sums_of(maps, 1, pool, [&](int64_t at, double* own) {
    for (size_t c = 0; c < channels; ++c) own[c] += static_cast<double>(in[at + int64_t(c)]);
  });
  for (double& m : result.mean) m /= count;
  result.variance = sums_of(maps, 1, pool, [&](int64_t at, double* own) {
    for (size_t c = 0; c < channels; ++c) {
      const double d = static_cast<double>(in[at + int64_t(c)]) - result.mean[c];
      own[c] += d * d;
    }
  });
  for (double& v : result.variance) v /= count;
  return result;
}

void update(std::vector<float>& running, size_t c, double batch) {
  running[c] =
      (1 - kBatchNormMomentum) * running[c] + kBatchNormMomentum * static_cast<float>(batch);
}

}  // namespace

BatchNormTape normalize(Maps& values, BatchNorm& state, bool training, ThreadPool& pool) {
  const auto channels = static_cast<size_t>(values.c);
  BatchNormTape tape{.mean = state.mean, .inverse = state.variance, .batch = training};
  if (training) {
    const Moments moments = moments_of(values, pool);
    const double count = static_cast<double>(values.n) * values.h * values.w;
    for (size_t c = 0; c < channels; ++c) {
      tape.mean[c] = static_cast<float>(moments.mean[c]);
      tape.inverse[c] = static_cast<float>(moments.variance[c]);
      update(state.mean, c, moments.mean[c]);
      update(state.variance, c, count > 1 ? moments.variance[c] * count / (count - 1) : 0);
    }
    ++state.batches;
  }
  for (float& v : tape.inverse) v = 1.0F / std::sqrt(v + kBatchNormEpsilon);
  float* out = values.values.data();
  for_all_places(values, pool, [&](int64_t at) {
    for (size_t c = 0; c < channels; ++c) {
      float& v = out[at + int64_t(c)];
      v = (v - tape.mean[c]) * tape.inverse[c];
      if (state.affine()) v = v * state.scale[c] + state.offset[c];
    }
  });
  return tape;
}

BatchNormGradients normalize_gradient(const Maps& input, Maps& gradient, const BatchNorm& state,
                                      const BatchNormTape& tape, ThreadPool& pool) {
  const auto channels = static_cast<size_t>(input.c);
  const float* in = input.values.data();
  float* g = gradient.values.data();
  // Per channel the sum of gradients, and of gradients times the normalized input.
  const std::vector<double> sums = sums_of(gradient, 2, pool, [&](int64_t at, double* own) {
    for (size_t c = 0; c < channels; ++c) {
      const auto i = at + int64_t(c);
      const float normal = (in[i] - tape.mean[c]) * tape.inverse[c];
      own[c] += static_cast<double>(g[i]);
      own[channels + c] += static_cast<double>(g[i]) * static_cast<double>(normal);
    }
  });
  const double count = static_cast<double>(input.n) * input.h * input.w;
  for_all_places(gradient, pool, [&](int64_t at) {
    for (size_t c = 0; c < channels; ++c) {
      const auto i = at + int64_t(c);
      float v = g[i];
      if (tape.batch) {
        const float normal = (in[i] - tape.mean[c]) * tape.inverse[c];
        v -= static_cast<float>(sums[c] / count);
        v -= normal * static_cast<float>(sums[channels + c] / count);
      }
      g[i] = v * tape.inverse[c] * (state.affine() ? state.scale[c] : 1.0F);
    }
  });
  BatchNormGradients result;
  if (state.affine()) {
    for (size_t c = 0; c < channels; ++c) {
      result.offset.push_back(static_cast<float>(sums[c]));
      result.scale.push_back(static_cast<float>(sums[channels + c]));
    }
  }
  return result;
}

}  // namespace edgetwin::train
