// Operators that exporters write as several: found in the document before it becomes a graph.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "formats/onnx/document/document.h"
#include "formats/onnx/patterns/passes.h"

namespace edgetwin::onnx {

// Constant nodes become initializers; then every pattern that is switched on.
void recognise_patterns(Document& d, const Passes& passes);

// Who makes and who uses which name, and the numbers behind names.
class Pattern {
 public:
  explicit Pattern(Document& d);

  Document& document() { return d_; }
  // The node that makes the name and nothing else, if it is of the type; null otherwise.
  Node* maker(const std::string& name, std::string_view type);
  // The same, and nobody else uses the name.
  Node* only_maker(const std::string& name, std::string_view type);
  // A constant of one element.
  std::optional<float> number(const std::string& name) const;
  bool is_number(const std::string& name, float value) const;
  const TensorData* constant(const std::string& name) const;
  int uses(const std::string& name) const;
  // The other input of a node with two; "" if the name is not one of them.
  static std::string other(const Node& n, const std::string& name);

  // The node that makes the name, whatever it is; null for inputs and constants.
  const Node* any_maker(const std::string& name) const;

  // Puts `node` in the place of the last one of the pattern and drops the others at the end.
  void replace(Node& last, Node node, const std::vector<const Node*>& others);
  void finish();  // drops

 private:
  Document& d_;
  std::map<std::string, size_t, std::less<>> makers_;
  std::map<std::string, int, std::less<>> uses_;
  std::map<std::string, const TensorData*, std::less<>> constants_;
  std::set<size_t> dropped_;  // positions in d_.nodes
};

void fuse_swish(Pattern& p, const Passes& passes);
void fuse_hard_swish(Pattern& p, const Passes& passes);
void fuse_gelu(Pattern& p, const Passes& passes);
void fuse_layer_norm(Pattern& p, const Passes& passes);

}  // namespace edgetwin::onnx
