// Nodes and constants of an ONNX file, one after the other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/onnx/document/document.h"
#include "train/network/network.h"

namespace edgetwin::train {

onnx::Attribute integers_attribute(const char* name, std::vector<int64_t> values);
onnx::Attribute integer_attribute(const char* name, int64_t value);

class DocumentBuilder {
 public:
  explicit DocumentBuilder(std::string name);

  onnx::Document& document() { return document_; }

  // Constants. They give their names.
  std::string floats(const std::string& name, const Shape& shape, std::span<const float> values);
  std::string number(const std::string& name, float value);
  std::string sizes(const std::string& name, const std::vector<int64_t>& values);

  // The one output has the name of the node, and is given.
  std::string node(const std::string& name, const char* type, std::vector<std::string> inputs,
                   std::vector<onnx::Attribute> attributes = {});
  // One item of this shape.
  std::string reshaped(const std::string& x, const std::string& name, const MapShape& shape);
  std::string clipped(const std::string& x, const std::string& name, float low, float high);

 private:
  onnx::Document document_;
};

}  // namespace edgetwin::train
