// References between layers (specification max7800x-network, 1.2, 1.3 and 1.6).
#include <set>

#include "formats/ai8x/reader.h"

namespace edgetwin::ai8x {
namespace {

class Linker {
 public:
  Linker(Network& network, Maps maps, Findings& findings)
      : out_(network), maps_(maps), findings_(findings) {}

  void run(std::vector<LayerLinks>& links) {
    collect_names();
    check_gaps(links);
    for (size_t i = 0; i < out_.layers.size(); ++i) {
      findings_.about(layer_name(out_, i));
      link(i, links[i]);
      check_formats(i);
    }
    findings_.about("");
  }

 private:
  int count() const { return static_cast<int>(out_.layers.size()); }

  void collect_names() {
    for (size_t i = 0; i < out_.layers.size(); ++i) {
      const Layer& layer = out_.layers[i];
      if (layer.name.empty()) continue;
      findings_.about(layer_name(out_, i));
      const std::string key = lower(layer.name);
      if (key == "stop" || key == "input") {
        findings_.error(ErrorCode::ai8x_name, layer.at(Key::name), "name",
                        "'" + shown(layer.name) + "' is a reserved name");
      } else if (const auto [place, fresh] = names_.try_emplace(key, i); !fresh) {
        findings_.error(ErrorCode::ai8x_name, layer.at(Key::name), "name",
                        "'" + shown(layer.name) + "' is the name of layer " +
                            std::to_string(place->second) + " in line " +
                            std::to_string(out_.layers[place->second].mark.line));
      }
    }
  }

  // Numbers count layers after the gaps are closed, as in the vendor's loader, which a reader of
  // the file does not expect.
  void check_gaps(const std::vector<LayerLinks>& links) {
    bool gap = false;
    for (size_t i = 0; i < out_.layers.size(); ++i) {
      gap = gap || out_.layers[i].sequence != static_cast<int>(i);
    }
    if (!gap) return;
    for (size_t i = 0; i < links.size(); ++i) {
      std::vector<Reference> all = links[i].in_sequences.value_or(std::vector<Reference>{});
      for (const auto* one :
           {&links[i].next_sequence, &links[i].simulated_sequence, &links[i].weight_source}) {
        if (*one) all.push_back(**one);
      }
      for (const Reference& reference : all) {
        if (reference.is_text || reference.number < 0 || reference.number >= count()) continue;
        const Layer& target = out_.layers[static_cast<size_t>(reference.number)];
        if (target.sequence == reference.number) continue;
        findings_.about(layer_name(out_, i));
        findings_.warning(ErrorCode::ai8x_numbering, reference.mark, "",
                          std::to_string(reference.number) + " means the layer that has sequence " +
                              std::to_string(target.sequence) + ": gaps are closed first");
      }
    }
  }

  std::optional<int> unknown(const Reference& reference, std::string_view key) {
    const std::string what =
        reference.is_text ? "'" + shown(reference.text) + "'" : std::to_string(reference.number);
    findings_
        .error(ErrorCode::ai8x_reference, reference.mark, std::string(key),
               "there is no layer " + what)
        .details = {"the network has layers 0 to " + std::to_string(count() - 1)};
    return std::nullopt;
  }

  std::optional<int> layer_of(const Reference& reference, std::string_view key) {
    if (!reference.is_text) {
      if (reference.number < 0 || reference.number >= count()) return unknown(reference, key);
      return static_cast<int>(reference.number);
    }
    const auto found = names_.find(reference.text);
    if (found == names_.end()) return unknown(reference, key);
    return static_cast<int>(found->second);
  }

  std::optional<int> source_of(size_t index, const Reference& reference) {
    const bool buffer =
        out_.data_buffer && reference.is_text && reference.text == out_.data_buffer->name;
    if (buffer || (!reference.is_text && reference.number == kDataBuffer && out_.data_buffer)) {
      return kDataBuffer;
    }
    if (reference.is_text && reference.text == "input") return kInput;
    if (!reference.is_text && reference.number == kInput) return kInput;
    const auto layer = layer_of(reference, "in_sequences");
    // The MAX78002 can run layers in any order, and a planner chooses one; there only the numbers
    // must exist.
    const bool any_order = out_.device == Device::max78002 || maps_ == Maps::planned;
    const int self = static_cast<int>(index);
    if (layer && *layer >= self && (!any_order || *layer == self)) {
      findings_.error(ErrorCode::ai8x_reference, reference.mark, "in_sequences",
                      "layer " + std::to_string(index) + " reads layer " + std::to_string(*layer) +
                          ", which has not run before it");
      return std::nullopt;
    }
    return layer;
  }

  // The index of the next layer, or kStop.
  int next_of(size_t index, const std::optional<Reference>& reference, std::string_view key,
              int otherwise) {
    if (!reference) return otherwise;
    if (reference->is_text && reference->text == "stop") return kStop;
    if (!reference->is_text && reference->number == kStop) return kStop;
    if (!reference->is_text && reference->number >= count()) {
      if (reference->number > count()) {
        findings_.warning(ErrorCode::ai8x_ignored, reference->mark, std::string(key),
                          "'" + std::string(key) + "' is " + std::to_string(reference->number) +
                              ", beyond the last layer: it counts as stop");
      }
      return kStop;
    }
    const int next = layer_of(*reference, key).value_or(otherwise);
    if (key == "next_sequence" && out_.device == Device::max78000 &&
        next != static_cast<int>(index) + 1) {
      findings_.error(ErrorCode::ai8x_device, reference->mark, std::string(key),
                      "the MAX78000 runs layers in their order; layer " + std::to_string(index) +
                          " is followed by " + std::to_string(index + 1) + " or stop");
    }
    return next;
  }

  void link(size_t index, const LayerLinks& links) {
    Layer& layer = out_.layers[index];
    const int following =
        static_cast<int>(index) + 1 < count() ? static_cast<int>(index) + 1 : kStop;
    layer.next_sequence = next_of(index, links.next_sequence, "next_sequence", following);
    layer.simulated_sequence =
        next_of(index, links.simulated_sequence, "simulated_sequence", layer.next_sequence);
    if (links.in_sequences) {
      layer.in_sequences.emplace();
      for (const Reference& reference : *links.in_sequences) {
        if (const auto source = source_of(index, reference)) layer.in_sequences->push_back(*source);
      }
      check_buffer_source(layer);
    }
    if (links.weight_source) {
      layer.weight_source = layer_of(*links.weight_source, "weight_source");
      if (layer.weight_source == static_cast<int>(index)) {
        findings_.error(ErrorCode::ai8x_reference, links.weight_source->mark, "weight_source",
                        "the layer takes its weights from itself");
      }
    }
  }

  // A layer that reads nothing but the rolling buffer cannot derive its input from a layer.
  void check_buffer_source(const Layer& layer) {
    if (*layer.in_sequences != std::vector<int>{kDataBuffer}) return;
    for (const Key key : {Key::in_offset, Key::out_offset, Key::in_dim, Key::in_channels}) {
      const bool planned = key == Key::in_offset || key == Key::out_offset;
      if (layer.has(key) || (planned && maps_ == Maps::planned)) continue;
      findings_.error(ErrorCode::ai8x_buffer, layer.at(Key::in_sequences), std::string(name(key)),
                      "a layer that reads the data buffer needs '" + std::string(name(key)) + "'");
    }
  }

  void check_formats(size_t index) {
    const Layer& layer = out_.layers[index];
    // The MAX78002 can start at any layer; whether this is the first one is known later.
    if (layer.big_data && index > 0 && out_.device == Device::max78000) {
      findings_.error(ErrorCode::ai8x_chw, layer.at(Key::data_format), "data_format",
                      "layer " + std::to_string(index) + " has data_format CHW");
    }
  }

  Network& out_;
  Maps maps_;
  Findings& findings_;
  std::map<std::string, size_t> names_;
};

}  // namespace

void resolve_links(Network& network, std::vector<LayerLinks>& links, Maps maps,
                   Findings& findings) {
  Linker(network, maps, findings).run(links);
}

}  // namespace edgetwin::ai8x
