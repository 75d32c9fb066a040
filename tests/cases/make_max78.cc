#include "make_max78.h"

#include <cstdio>
#include <string>
#include <vector>

#include "base/file.h"
#include "formats/torch/checkpoint.h"
#include "tensor/npy.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

// Numbers that look like noise, from -1 to 1.
class Noise {
 public:
  float next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return static_cast<float>(static_cast<int>(state_ % 2001) - 1000) / 1000.0F;
  }

 private:
  uint32_t state_ = 2463534242U;
};

Tensor floats(const Shape& shape, Noise& noise, float scale) {
  Tensor t = Tensor::zeros(DType::float32, shape).value();
  for (float& v : t.as<float>()) v = noise.next() * scale;
  return t;
}

Tensor integers(const Shape& shape, Noise& noise, float scale) {
  Tensor t = Tensor::zeros(DType::int8, shape).value();
  for (int8_t& v : t.as<int8_t>()) v = static_cast<int8_t>(noise.next() * scale);
  return t;
}

bool put(const fs::path& file, const Bytes& bytes) {
  if (write_file(file.string(), bytes, Overwrite::yes).ok()) return true;
  std::fprintf(stderr, "%s cannot be written\n", file.c_str());
  return false;
}

// Two convolutions and a linear layer: 2x8x8 to 3 classes.
Bytes checkpoint(bool batch_norm) {
  Noise noise;
  torch::Checkpoint c = torch::Checkpoint::make("small.pth.tar");
  const auto state = c.add_dict(true);
  const auto set = [&](const char* name, const Tensor& t) { c.set(state, name, c.add_tensor(t)); };
  set("conv1.op.weight", floats({4, 2, 3, 3}, noise, 0.4F));
  set("conv1.op.bias", floats({4}, noise, 0.2F));
  if (batch_norm) set("conv1.bn.weight", floats({4}, noise, 1.0F));
  set("conv2.op.weight", floats({4, 4, 3, 3}, noise, 0.4F));
  set("fc.op.weight", floats({3, 64}, noise, 0.3F));
  set("fc.op.bias", floats({3}, noise, 0.2F));
  c.set(c.root(), "epoch", c.add_integer(7));
  c.set(c.root(), "arch", c.add_text("small"));
  c.set(c.root(), "state_dict", state);
  return torch::write(c).value();
}

// Of the vendor's method of activation thresholds.
Bytes with_thresholds() {
  Noise noise;
  torch::Checkpoint c = torch::Checkpoint::make("thresholds.pth.tar");
  const auto state = c.add_dict(true);
  c.set(state, "fc.activation_threshold", c.add_tensor(floats({1}, noise, 1.0F)));
  c.set(state, "fc.op.weight", c.add_tensor(floats({2, 4}, noise, 0.4F)));
  c.set(state, "fc.op.bias", c.add_tensor(floats({2}, noise, 0.2F)));
  c.set(c.root(), "epoch", c.add_integer(7));
  c.set(c.root(), "arch", c.add_text("one"));
  c.set(c.root(), "state_dict", state);
  return torch::write(c).value();
}

}  // namespace

bool write_max78_files(const fs::path& folder) {
  Noise noise;
  Bytes weights, biases;
  const auto append = [](Bytes& to, const Tensor& t) {
    const Bytes bytes = write_npy(t).value();
    to.insert(to.end(), bytes.begin(), bytes.end());
  };
  append(weights, integers({4, 2, 3, 3}, noise, 60));
  append(weights, integers({4, 4, 3, 3}, noise, 60));
  append(weights, integers({3, 64}, noise, 7));
  append(biases, integers({4}, noise, 40));
  append(biases, integers({4}, noise, 40));
  Bytes wide;
  append(wide, integers({4, 2, 3, 3}, noise, 60));
  append(wide, integers({4, 4, 5, 5}, noise, 60));
  append(wide, integers({3, 64}, noise, 100));
  // One layer of 65 channels, in passes of 36 and 29. 4 bits hold the weights.
  Noise again;
  const Bytes short_pass = write_npy(integers({1, 4, 65, 3, 3}, again, 7)).value();
  return put(folder / "small.pth.tar", checkpoint(false)) &&
         put(folder / "small_bn.pth.tar", checkpoint(true)) &&
         put(folder / "thresholds.pth.tar", with_thresholds()) &&
         put(folder / "small_weights.npy", weights) && put(folder / "small_bias.npy", biases) &&
         put(folder / "small_wrong.npy", wide) && put(folder / "short_pass.npy", short_pass) &&
         put(folder / "small_sample.npy", write_npy(integers({2, 8, 8}, noise, 120)).value()) &&
         put(folder / "small_other.npy", write_npy(integers({3, 8, 8}, noise, 120)).value());
}

}  // namespace edgetwin
