// The parts of the reader of network descriptions; each adds its findings to one report and goes
// on.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/ai8x/network.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/ai8x/yaml_scalar.h"
#include "formats/ai8x/yaml_tree.h"

namespace edgetwin::ai8x {

// A reference as it is written, until all layers have names.
struct Reference {
  bool is_text = false;
  std::string text;  // in lower case
  int64_t number = 0;
  Mark mark;
};

// What of a layer can only be settled when all of them are read.
struct LayerLinks {
  std::optional<std::vector<Reference>> in_sequences;
  std::optional<Reference> next_sequence;
  std::optional<Reference> simulated_sequence;
  std::optional<Reference> weight_source;
};

class Findings {
 public:
  Findings(std::string file, Report& report) : file_(std::move(file)), report_(report) {}

  // Each gives the entry, so that details can be added. `layer` may be empty.
  Finding& error(ErrorCode code, Mark mark, std::string field, std::string message);
  Finding& warning(ErrorCode code, Mark mark, std::string field, std::string message);
  Finding& note(ErrorCode code, Mark mark, std::string field, std::string message);
  // What the following entries are about: "layer 3 'conv'"; empty: the network.
  void about(std::string layer) { layer_ = std::move(layer); }
  // Further errors would not be kept: a file with so many is read only to its end.
  bool full() const { return counts_[static_cast<size_t>(Severity::error)] >= kMaxFindings; }

 private:
  static constexpr size_t kMaxFindings = 500;  // of each severity
  Finding& put(Severity severity, ErrorCode code, Mark mark, std::string field,
               std::string message);
  std::string file_;
  std::string layer_;
  Report& report_;
  std::array<size_t, 3> counts_ = {};  // by severity
  Finding surplus_;
};

// Values of single keys; each reports what is wrong and then gives nothing.
class Values {
 public:
  explicit Values(Findings& findings) : findings_(findings) {}

  std::optional<int64_t> integer(const YamlNode& node, std::string_view key, int64_t low,
                                 int64_t high);
  std::optional<bool> boolean(const YamlNode& node, std::string_view key);
  std::optional<std::string> text(const YamlNode& node, std::string_view key);
  // A number, or a text of hexadecimal digits in which '.' and '_' do not count.
  std::optional<uint64_t> map(const YamlNode& node, std::string_view key);
  // n or [h, w]; a single number gives [n, n], or [n, 1] with `one_dimensional`, where [n] is
  // allowed.
  std::optional<Size2> size(const YamlNode& node, std::string_view key, int64_t low, int64_t high,
                            bool one_dimensional);
  std::optional<Reference> reference(const YamlNode& node, std::string_view key);
  std::optional<std::vector<Reference>> references(const YamlNode& node, std::string_view key);
  std::optional<std::vector<int>> integers(const YamlNode& node, std::string_view key, int64_t low,
                                           int64_t high);

 private:
  Finding& wrong(const YamlNode& node, std::string_view key, const std::string& expected);
  Findings& findings_;
};

// The entries of a map under the keys of a table; reports unknown and repeated ones.
struct KeyRow {
  std::string_view spelling;
  size_t key;
  bool mandatory;
};
std::vector<const YamlNode*> entries(const YamlNode& map, const std::vector<KeyRow>& rows,
                                     size_t keys, std::string_view where, Findings& findings);

// One item of `layers`: read_yaml_layer.cc and, for what depends on the operator,
// read_yaml_operator.cc.
class LayerReader {
 public:
  LayerReader(Device device, Maps maps, Findings& findings)
      : device_(device), maps_(maps), findings_(findings), values_(findings) {}

  // `previous` is the number of the layer before, -1 for the first one.
  void read(const YamlNode& map, int previous, Layer& layer, LayerLinks& links);

 private:
  const YamlNode* get(Key key) const { return nodes_[static_cast<size_t>(key)]; }
  std::optional<int> integer(Key key);
  void integer(Key key, int& out);
  void boolean(Key key, bool& out);
  void size(Key key, Size2& out);
  Mark mark(Key key) const;
  Finding& error(ErrorCode code, Key key, std::string message);
  void only_max78002(Key key, bool used, std::string_view what);
  template <class T>
  std::optional<T> choice(Key key);

  void read_input(Layer& layer, LayerLinks& links);
  void read_output(Layer& layer);
  void read_order(Layer& layer, LayerLinks& links);
  void read_operator(Layer& layer);
  void read_eltwise(Layer& layer);
  void read_pooling(Layer& layer);
  void read_convolution(Layer& layer);
  void read_kernel(Layer& layer);
  void read_conv1d_kernel(Layer& layer);
  void read_stride(Layer& layer);
  void read_parameters(Layer& layer);
  void fix_up(Layer& layer);
  void check_buffer(Layer& layer);

  Device device_;
  Maps maps_;
  Findings& findings_;
  Values values_;
  std::vector<const YamlNode*> nodes_;
  Mark layer_mark_;
};

// Names and numbers of other layers become indices; order of running; rolling buffer.
// read_yaml_links.cc.
void resolve_links(Network& network, std::vector<LayerLinks>& links, Maps maps, Findings& findings);

}  // namespace edgetwin::ai8x
