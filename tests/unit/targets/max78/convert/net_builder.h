// Builds small ONNX networks with weights like noise.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"
#include "formats/onnx/import/onnx.h"
#include "quantize/espdl/quantize.h"
#include "unit/formats/onnx/onnx_writer.h"

namespace edgetwin::max78 {

using onnx::integer_attribute;
using onnx::integers_attribute;
using onnx::Message;
using Strings = std::vector<std::string>;

// An ONNX network under way, with weights like noise.
class Net {
 public:
  explicit Net(const std::vector<int64_t>& input, uint32_t seed = 5)
      : random_(seed), shape_(input) {
    net_.input("x", input);
  }

  std::vector<float> noise(size_t count, float scale) {
    std::vector<float> v(count);
    for (float& x : v) {
      x = (static_cast<float>(random_.next() % 2001) - 1000.0F) / 1000.0F * scale;
    }
    return v;
  }

  Net& weights(const std::string& name, const std::vector<int64_t>& dims, float gain = 1.6F) {
    size_t n = 1;
    for (const int64_t d : dims) n *= static_cast<size_t>(d);
    const float fan = static_cast<float>(n) / static_cast<float>(dims[0]);
    net_.floats(name, dims, noise(n, gain / std::sqrt(fan)));
    return *this;
  }

  // Convolution with filter (out, in, k..) named `name`, padded by `pad` on all sides.
  Net& conv(const std::string& from, const std::string& to, const std::vector<int64_t>& filter,
            int64_t pad, bool relu, int64_t stride = 1, int64_t group = 1) {
    weights(to + "_w", filter);
    net_.floats(to + "_b", {filter[0]}, noise(static_cast<size_t>(filter[0]), 0.3F));
    const size_t axes = filter.size() - 2;
    const std::vector<Message> attributes = {
        integers_attribute("pads", std::vector<int64_t>(axes * 2, pad)),
        integers_attribute("strides", std::vector<int64_t>(axes, stride)),
        integer_attribute("group", group)};
    net_.node("Conv", {from, to + "_w", to + "_b"}, {relu ? to + "_c" : to}, attributes, to);
    if (relu) net_.node("Relu", {to + "_c"}, {to}, {}, to + "_relu");
    return *this;
  }

  Net& gemm(const std::string& from, const std::string& to, int64_t out, int64_t in) {
    weights(to + "_w", {out, in});
    net_.floats(to + "_b", {out}, noise(static_cast<size_t>(out), 0.3F));
    net_.node("Gemm", {from, to + "_w", to + "_b"}, {to}, {integer_attribute("transB", 1)}, to);
    return *this;
  }

  Net& pool(const std::string& type, const std::string& from, const std::string& to, int64_t size,
            int64_t stride, size_t axes = 2) {
    net_.node(type, {from}, {to},
              {integers_attribute("kernel_shape", std::vector<int64_t>(axes, size)),
               integers_attribute("strides", std::vector<int64_t>(axes, stride))},
              to);
    return *this;
  }

  Net& node(const std::string& type, const Strings& in, const std::string& out,
            const std::vector<Message>& attributes = {}) {
    net_.node(type, in, {out}, attributes, out);
    return *this;
  }
  // A second input; samples() has the first one alone.
  Net& input(const std::string& name, const std::vector<int64_t>& shape) {
    net_.input(name, shape);
    return *this;
  }
  Net& output(const std::string& name) {
    net_.output(name);
    return *this;
  }
  Net& floats(const std::string& name, const std::vector<int64_t>& dims,
              const std::vector<float>& v) {
    net_.floats(name, dims, v);
    return *this;
  }
  Net& integers(const std::string& name, const std::vector<int64_t>& v) {
    net_.integers(name, v);
    return *this;
  }

  int64_t channels() const { return shape_[1]; }

  Graph graph() const {
    auto model = onnx::read(net_.bytes(), "net.onnx");
    EXPECT_TRUE(model.ok()) << to_text(model.error());
    return model.ok() ? model->main() : Graph{};
  }

  std::vector<quantize::Sample> samples(size_t count) {
    std::vector<quantize::Sample> all(count);
    for (auto& s : all) {
      Tensor t = Tensor::zeros(DType::float32, Shape(shape_)).value();
      const std::vector<float> v = noise(t.as<float>().size(), 1.0F);
      std::copy(v.begin(), v.end(), t.as<float>().begin());
      s.push_back(std::move(t));
    }
    return all;
  }

 private:
  XorShift32 random_;
  std::vector<int64_t> shape_;
  onnx::Network net_;
};

}  // namespace edgetwin::max78
