// Float networks layer by layer, channels first.
#pragma once

#include <string>
#include <vector>

#include "base/rng.h"
#include "estimate/tiny/tiny.h"
#include "formats/onnx/document/document.h"

namespace edgetwin::estimates {

struct Kernel {
  int64_t h = 3, w = 3, stride = 1;
  int64_t top = 1, left = 1, bottom = 1, right = 1;  // padding
};

class TinyMaker {
 public:
  TinyMaker(std::string name, const std::vector<int64_t>& input, uint32_t seed);

  // Each gives the name of its result.
  std::string conv(const std::string& from, int64_t outputs, const Kernel& kernel,
                   bool depthwise = false);
  std::string relu(const std::string& from);
  std::string add(const std::string& a, const std::string& b);
  std::string average(const std::string& from, int64_t h, int64_t w);
  std::string flatten(const std::string& from);
  std::string dense(const std::string& from, int64_t outputs);
  std::string softmax(const std::string& from);

  Result<TinyNetwork> finish(const std::string& output, std::string text) &&;

 protected:
  std::string node(const std::string& type, std::vector<std::string> inputs,
                   std::vector<onnx::Attribute> attributes, std::vector<int64_t> shape);
  const std::vector<int64_t>& shape_of(const std::string& value) const;
  onnx::Document document_;

 private:
  std::string numbers(const std::string& name, const std::vector<int64_t>& shape, float limit);
  float real();  // -1 to 1

  std::string name_;
  XorShift32 random_;
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes_;
  std::vector<int64_t> input_;
  int64_t macs_ = 0, parameters_ = 0;
};

}  // namespace edgetwin::estimates
