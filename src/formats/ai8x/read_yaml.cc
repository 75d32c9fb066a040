#include "formats/ai8x/read_yaml.h"

#include <algorithm>
#include <numeric>

#include "formats/ai8x/reader.h"

namespace edgetwin::ai8x {
namespace {

enum class TopKey : uint8_t {
#define TOP_KEY(key, mandatory) key,
#include "formats/ai8x/keys.def"
};
enum class UnloadKey : uint8_t {
#define UNLOAD_KEY(key, mandatory) key,
#include "formats/ai8x/keys.def"
};
enum class BufferKey : uint8_t {
#define BUFFER_KEY(key, mandatory) key,
#include "formats/ai8x/keys.def"
};

const std::vector<KeyRow> kTopRows = {
#define TOP_KEY(key, mandatory) {#key, static_cast<size_t>(TopKey::key), mandatory},
#include "formats/ai8x/keys.def"
};
const std::vector<KeyRow> kUnloadRows = {
#define UNLOAD_KEY(key, mandatory) {#key, static_cast<size_t>(UnloadKey::key), mandatory},
#include "formats/ai8x/keys.def"
};
const std::vector<KeyRow> kBufferRows = {
#define BUFFER_KEY(key, mandatory) {#key, static_cast<size_t>(BufferKey::key), mandatory},
#include "formats/ai8x/keys.def"
};

constexpr int64_t kMaxNumber = 1048576;
constexpr int64_t kMaxOffset = INT32_MAX;
// One more than any device: so many layers are read, to report on each.
constexpr size_t kMaxLayersRead = 1024;

class NetworkReader {
 public:
  NetworkReader(Network& network, Maps maps, Findings& findings)
      : out_(network), maps_(maps), findings_(findings), values_(findings) {}

  void read(const YamlNode& root) {
    if (root.kind != YamlKind::map) {
      findings_.error(ErrorCode::ai8x_type, root.mark, "",
                      "the description is " + described(root) + "; it must be a map of keys");
      return;
    }
    nodes_ = entries(root, kTopRows, kTopRows.size(), "the description", findings_);
    if (const auto* n = get(TopKey::arch)) out_.arch = values_.text(*n, "arch").value_or("");
    if (const auto* n = get(TopKey::dataset)) {
      out_.dataset = values_.text(*n, "dataset").value_or("");
    }
    if (const auto* n = get(TopKey::bias)) out_.bias = values_.text(*n, "bias");
    if (const auto* n = get(TopKey::weights)) out_.weights = values_.text(*n, "weights");
    if (const auto* n = get(TopKey::output_map)) {
      out_.output_map = values_.map(*n, "output_map");
      out_.output_map_mark = n->mark;
      if (out_.output_map && *out_.output_map == 0) {
        findings_.error(ErrorCode::ai8x_processors, n->mark, "output_map",
                        "'output_map' selects no processor");
      }
    }
    read_snoop();
    read_list(TopKey::unload, "unload", [this](const YamlNode& item) { read_unload(item); });
    read_list(TopKey::data_buffer, "data_buffer",
              [this](const YamlNode& item) { read_buffer(item); });
    read_layers();
  }

 private:
  const YamlNode* get(TopKey key) const { return nodes_[static_cast<size_t>(key)]; }

  template <class Read>
  void read_list(TopKey key, std::string_view spelling, const Read& read) {
    const YamlNode* list = get(key);
    if (list == nullptr) return;
    if (list->kind != YamlKind::sequence) {
      findings_.error(
          ErrorCode::ai8x_type, list->mark, std::string(spelling),
          "'" + std::string(spelling) + "' is " + described(*list) + "; it takes a list of maps");
      return;
    }
    for (const YamlNode& item : list->children) {
      if (item.kind == YamlKind::map) {
        read(item);
      } else {
        findings_.error(ErrorCode::ai8x_type, item.mark, std::string(spelling),
                        "an item of '" + std::string(spelling) + "' is " + described(item) +
                            "; it must be a map of keys");
      }
    }
  }

  void read_snoop() {
    const YamlNode* list = get(TopKey::snoop);
    if (list == nullptr) return;
    out_.snoop_mark = list->mark;
    if (out_.device == Device::max78000) {
      findings_.error(ErrorCode::ai8x_device, list->mark, "snoop", "the MAX78000 has no snoop");
    }
    if (list->kind != YamlKind::sequence || list->children.size() != 32) {
      const bool counted = list->kind == YamlKind::sequence;
      findings_.error(
          ErrorCode::ai8x_snoop, list->mark, "snoop",
          "'snoop' is " +
              (counted ? "a list of " + std::to_string(list->children.size()) : described(*list)) +
              "; it takes a list of 32 numbers");
      return;
    }
    for (const YamlNode& item : list->children) {
      const auto value = values_.integer(item, "snoop", 0, UINT32_MAX);
      out_.snoop.push_back(static_cast<uint32_t>(value.value_or(0)));
    }
  }

  // What unload and data_buffer have in common; `key` gives a value by its name.
  template <class Item, class Get>
  void read_area(const YamlNode& map, const Get& key, Item& item) {
    item.mark = map.mark;
    if (const YamlNode* n = key("processors")) {
      item.processors = values_.map(*n, "processors").value_or(0);
    }
    if (const YamlNode* n = key("channels")) {
      item.channels = static_cast<int>(values_.integer(*n, "channels", 1, kMaxNumber).value_or(1));
    }
    if (const YamlNode* n = key("dim")) {
      item.dim = values_.size(*n, "dim", 1, kMaxNumber, true).value_or(Size2{});
    }
    if (const YamlNode* n = key("offset")) {
      item.offset = values_.integer(*n, "offset", 0, kMaxOffset).value_or(0);
    }
    if (const YamlNode* n = key("width")) {
      const auto width = values_.integer(*n, "width", 8, 32);
      if (width && *width != 8) {
        findings_.warning(ErrorCode::ai8x_ignored, n->mark, "width",
                          "width " + std::to_string(*width) +
                              " has no effect: the vendor's loader always takes 8");
      }
    }
  }

  void read_unload(const YamlNode& map) {
    const auto found =
        entries(map, kUnloadRows, kUnloadRows.size(), "an item of 'unload'", findings_);
    const auto key = [&](std::string_view spelling) {
      return by_name(kUnloadRows, found, spelling);
    };
    Unload item;
    read_area(map, key, item);
    if (const YamlNode* n = key("write_gap")) {
      item.write_gap =
          static_cast<int>(values_.integer(*n, "write_gap", 0, kMaxNumber).value_or(0));
    }
    out_.unload.push_back(item);
  }

  void read_buffer(const YamlNode& map) {
    std::vector<KeyRow> rows = kBufferRows;
    for (KeyRow& row : rows) {
      const bool place = row.spelling == "processors" || row.spelling == "offset";
      if (place && maps_ == Maps::planned) row.mandatory = false;
    }
    const auto found = entries(map, rows, rows.size(), "an item of 'data_buffer'", findings_);
    const auto key = [&](std::string_view spelling) { return by_name(rows, found, spelling); };
    DataBuffer item;
    read_area(map, key, item);
    item.has_processors = key("processors") != nullptr;
    item.has_offset = key("offset") != nullptr;
    if (const YamlNode* n = key("name")) item.name = lower(values_.text(*n, "name").value_or(""));
    if (out_.data_buffer) {
      findings_.warning(ErrorCode::ai8x_ignored, map.mark, "data_buffer",
                        "only the first data buffer counts");
      return;
    }
    out_.data_buffer = std::move(item);
  }

  static const YamlNode* by_name(const std::vector<KeyRow>& rows,
                                 const std::vector<const YamlNode*>& found,
                                 std::string_view spelling) {
    for (const KeyRow& row : rows) {
      if (row.spelling == spelling) return found[row.key];
    }
    return nullptr;
  }

  void read_layers() {
    const YamlNode* list = get(TopKey::layers);
    if (list == nullptr) return;
    if (list->kind == YamlKind::sequence && list->children.empty()) {
      findings_.error(ErrorCode::ai8x_layers, list->mark, "layers", "the network has no layers");
    }
    if (list->kind == YamlKind::sequence && list->children.size() > kMaxLayersRead) {
      findings_.error(ErrorCode::ai8x_layers, list->mark, "layers",
                      "the network has " + std::to_string(list->children.size()) + " layers");
      return;
    }
    std::vector<LayerLinks> links;
    int previous = -1;
    read_list(TopKey::layers, "layers", [&](const YamlNode& item) {
      Layer layer;
      findings_.about("layer " + std::to_string(previous + 1));
      LayerReader(out_.device, maps_, findings_).read(item, previous, layer, links.emplace_back());
      previous = layer.sequence;
      out_.layers.push_back(std::move(layer));
    });
    findings_.about("");
    sort_layers(links);
    resolve_links(out_, links, maps_, findings_);
  }

  // By their numbers; each number once, and none beyond the device.
  void sort_layers(std::vector<LayerLinks>& links) {
    std::vector<size_t> order(out_.layers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return out_.layers[a].sequence < out_.layers[b].sequence;
    });
    std::vector<Layer> layers;
    std::vector<LayerLinks> sorted;
    for (const size_t i : order) {
      layers.push_back(std::move(out_.layers[i]));
      sorted.push_back(std::move(links[i]));
    }
    out_.layers = std::move(layers);
    links = std::move(sorted);
    const int most = limits(out_.device).layers;
    bool too_many = false;
    for (size_t i = 0; i < out_.layers.size(); ++i) {
      const Layer& layer = out_.layers[i];
      findings_.about(layer_name(out_, i));
      const Mark mark = layer.has(Key::sequence) ? layer.at(Key::sequence) : layer.mark;
      if (i > 0 && out_.layers[i - 1].sequence == layer.sequence) {
        findings_.error(ErrorCode::ai8x_sequence, mark, "sequence",
                        "two layers have the number " + std::to_string(layer.sequence));
      }
      // Each number of its own is reported; what follows from the sheer count, once.
      const bool numbered = layer.has(Key::sequence);
      if (layer.sequence >= most && (numbered || !too_many)) {
        too_many = too_many || !numbered;
        findings_
            .error(numbered ? ErrorCode::ai8x_sequence : ErrorCode::ai8x_layers, mark, "sequence",
                   "layer " + std::to_string(layer.sequence) + " is beyond the " +
                       std::to_string(most) + " layers of the " +
                       std::string(limits(out_.device).name))
            .details = {"the network has " + std::to_string(out_.layers.size()) + " layers"};
      }
    }
    findings_.about("");
  }

  Network& out_;
  Maps maps_;
  Findings& findings_;
  Values values_;
  std::vector<const YamlNode*> nodes_;
};

bool by_place(const Finding& a, const Finding& b) {
  const auto key = [](const Finding& e) {
    return std::pair(e.place.line.value_or(0), e.place.column.value_or(0));
  };
  return key(a) < key(b);
}

}  // namespace

NetworkReading read_network_report(std::string_view yaml, const std::string& file, Device device,
                                   Maps maps) {
  NetworkReading out;
  auto tree = parse_yaml(yaml, file);
  if (!tree.ok()) {
    out.report.findings.push_back(finding_of(tree.error(), Severity::error));
    return out;
  }
  Network network;
  network.file = file;
  network.device = device;
  Findings findings(file, out.report);
  NetworkReader(network, maps, findings).read(*tree);
  std::stable_sort(out.report.findings.begin(), out.report.findings.end(), by_place);
  if (out.report.ok()) out.network = std::move(network);
  return out;
}

Result<Network> read_network(std::string_view yaml, const std::string& file, Device device) {
  NetworkReading reading = read_network_report(yaml, file, device);
  if (reading.network) return std::move(*reading.network);
  const std::vector<Finding> errors = reading.report.errors();
  Error first = error_of(errors.front(), ErrorCode::ai8x_yaml);
  if (const size_t more = errors.size() - 1; more > 0) {
    first.details.push_back("and " + std::to_string(more) + " further errors in this file");
  }
  return first;
}

bool looks_like_network(std::string_view text) {
  return text.starts_with("layers:") || text.find("\nlayers:") != std::string_view::npos;
}

}  // namespace edgetwin::ai8x
