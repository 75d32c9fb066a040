#include "train.h"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <utility>

namespace edgetwin::digits {
namespace {

constexpr int kEpochs = 8;
constexpr int kBatch = 32;
constexpr float kRate = 0.003f;  // of the first step; falls to zero along a parabola
constexpr float kMomentDecay = 0.9f;
constexpr float kSquareDecay = 0.999f;
constexpr float kTiny = 1e-8f;

// Adam: steps by the running mean of the gradient over the root of the running mean of its square.
class Adam {
 public:
  explicit Adam(const Net& net) : mean_(make_gradients(net)), square_(make_gradients(net)) {}

  // Uses and clears `sums`.
  void step(Net& net, std::vector<Parameters>& sums, float scale, float rate) {
    mean_correction_ *= kMomentDecay;
    square_correction_ *= kSquareDecay;
    const float corrected = rate * std::sqrt(1.0f - square_correction_) / (1.0f - mean_correction_);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      update(net.parameters[i].weight, sums[i].weight, mean_[i].weight, square_[i].weight, scale,
             corrected);
      update(net.parameters[i].bias, sums[i].bias, mean_[i].bias, square_[i].bias, scale,
             corrected);
    }
  }

 private:
  static void update(std::vector<float>& values, std::vector<float>& sums, std::vector<float>& mean,
                     std::vector<float>& square, float scale, float rate) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float gradient = sums[i] * scale;
      mean[i] += (1.0f - kMomentDecay) * (gradient - mean[i]);
      square[i] += (1.0f - kSquareDecay) * (gradient * gradient - square[i]);
      values[i] -= rate * mean[i] / (std::sqrt(square[i]) + kTiny);
      sums[i] = 0.0f;
    }
  }

  std::vector<Parameters> mean_;
  std::vector<Parameters> square_;
  float mean_correction_ = 1.0f;
  float square_correction_ = 1.0f;
};

std::vector<int> shuffled(int count, Rng& rng) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = count - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(rng.below(i + 1))]);
  }
  return order;
}

}  // namespace

Net train(const PictureSet& set, std::uint64_t seed) {
  Rng rng(seed);
  Net net = make_net(rng);
  Adam adam(net);
  Tensors tensors = make_tensors(net);
  Tensors gradients = make_tensors(net);
  std::vector<Parameters> sums = make_gradients(net);
  const int count = static_cast<int>(set.size());
  const int batches = count / kBatch;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const std::vector<int> order = shuffled(count, rng);
    float missing = 0.0f;
    for (int batch = 0; batch < batches; ++batch) {
      for (int i = 0; i < kBatch; ++i) {
        const int index = order[static_cast<std::size_t>(batch * kBatch + i)];
        const Picture& picture = set[static_cast<std::size_t>(index)];
        forward(net, picture, tensors);
        missing += backward(net, tensors, picture.label, gradients, sums);
      }
      const float done =
          static_cast<float>(epoch * batches + batch) / static_cast<float>(kEpochs * batches);
      const float rate = kRate * (1.0f - done) * (1.0f - done);
      adam.step(net, sums, 1.0f / static_cast<float>(kBatch), rate);
    }
    std::fprintf(stderr, "epoch %d of %d: mean probability of the label %.4f\n", epoch + 1, kEpochs,
                 1.0 - static_cast<double>(missing) / (batches * kBatch));
  }
  return net;
}

}  // namespace edgetwin::digits
