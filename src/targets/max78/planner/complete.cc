// The description with what was planned written into it.
#include <algorithm>
#include <optional>

#include "targets/max78/planner/connections.h"
#include "targets/max78/planner/planner.h"

namespace edgetwin::max78 {
namespace {

std::string hex(uint64_t value, int digits) {
  std::string text = "0x";
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

std::string keys_of(const ai8x::Network& network, const PlannedLayer& p, bool ordered,
                    const std::string& indent) {
  std::string text;
  const auto key = [&](const char* name, const std::string& value) {
    text += std::string(name) + ": " + value + "\n" + indent;
  };
  if (p.processors) key("processors", hex(*p.processors, 16));
  if (p.output_processors) key("output_processors", hex(*p.output_processors, 16));
  if (p.in_offset) key("in_offset", hex(static_cast<uint64_t>(*p.in_offset), 4));
  if (p.out_offset) key("out_offset", hex(static_cast<uint64_t>(*p.out_offset), 4));
  if (p.write_gap) key("write_gap", std::to_string(*p.write_gap));
  if (p.in_sequences && !ordered) {
    key("in_sequences", sources_text(network, *p.in_sequences));
  }
  if (p.streaming) key("streaming", "true");
  if (p.bias_group) key("bias_group", std::to_string(*p.bias_group));
  return text;
}

std::string keys_of_buffer(const Planned& p, const std::string& indent) {
  std::string text;
  if (p.buffer_processors) text += "processors: " + hex(*p.buffer_processors, 16) + "\n" + indent;
  if (!p.buffer_offset) return text;
  return text + "offset: " + hex(static_cast<uint64_t>(*p.buffer_offset), 4) + "\n" + indent;
}

// Another order: each layer's number, and what it reads by the new numbers.
std::string keys_of_order(const ai8x::Network& network, size_t i, const std::string& indent) {
  const ai8x::Layer& l = network.layers[i];
  std::string text = "sequence: " + std::to_string(i) + "\n" + indent;
  if (l.in_sequences) {
    text += "in_sequences: " + sources_text(network, *l.in_sequences) + "\n" + indent;
  }
  if (l.weight_source) {
    text += "weight_source: " + sources_text(network, {*l.weight_source}) + "\n" + indent;
  }
  return text;
}

// Where a key begins that keys_of_order() gives anew. Only layers have such keys.
std::optional<size_t> old_key(const std::string& row) {
  size_t at = row.find_first_not_of(' ');
  if (at != std::string::npos && row.compare(at, 2, "- ") == 0) {
    at = row.find_first_not_of(' ', at + 1);
  }
  if (at == std::string::npos) return std::nullopt;
  for (const ai8x::Key key :
       {ai8x::Key::sequence, ai8x::Key::in_sequences, ai8x::Key::weight_source}) {
    const std::string word = std::string(ai8x::name(key)) + ":";
    if (row.compare(at, word.size(), word) == 0) return at;
  }
  return std::nullopt;
}

size_t column_of(const std::string& row) {
  const size_t at = row.find_first_not_of(' ');
  return at == std::string::npos ? row.size() : at;
}

class Completion {
 public:
  Completion(const ai8x::Network& network, const Planned& planned)
      : network_(network), planned_(planned) {}

  std::string text(std::string_view yaml) {
    size_t begin = 0;
    while (begin < yaml.size()) {
      const size_t end = std::min(yaml.find('\n', begin), yaml.size());
      add(std::string(yaml.substr(begin, end - begin)));
      begin = end + 1;
    }
    return std::move(text_);
  }

 private:
  void add(std::string row) {
    ++line_;
    if (!planned_.order.empty() && old_value(row)) return;
    if (const auto& b = network_.data_buffer) {
      insert(row, b->mark,
             [&](const std::string& indent) { return keys_of_buffer(planned_, indent); });
    }
    for (size_t i = 0; i < network_.layers.size() && i < planned_.layers.size(); ++i) {
      insert(row, network_.layers[i].mark, [&](const std::string& indent) {
        return (planned_.order.empty() ? "" : keys_of_order(network_, i, indent)) +
               keys_of(network_, planned_.layers[i], !planned_.order.empty(), indent);
      });
    }
    text_ += row + "\n";
  }

  // The row belongs to a key that is written anew; what stands before it stays.
  bool old_value(std::string& row) {
    if (removed_ > 0) {
      const size_t at = column_of(row);
      const bool item = at + 1 >= removed_ && at < row.size() && row[at] == '-';
      const bool inside = at >= removed_ || (list_ && item);
      if (inside && at < row.size()) return true;
      removed_ = 0;
    }
    const auto at = old_key(row);
    if (!at) return false;
    const size_t value = row.find_first_not_of(" \t", row.find(':', *at) + 1);
    list_ = value == std::string::npos || row[value] == '#';
    row.resize(*at);
    removed_ = *at + 1;
    return row.find_first_not_of(' ') == std::string::npos;
  }

  template <class Keys>
  void insert(std::string& row, const ai8x::Mark& m, const Keys& keys) const {
    if (m.line != line_ || m.column < 1) return;
    const auto at = static_cast<size_t>(m.column - 1);
    if (at > row.size()) return;
    row.insert(at, keys(std::string(at, ' ')));
    row.resize(row.find_last_not_of(" \n") + 1);
  }

  const ai8x::Network& network_;
  const Planned& planned_;
  std::string text_;
  int line_ = 0;
  size_t removed_ = 0;  // column after that of the key whose lines go
  bool list_ = false;
};

}  // namespace

// New keys stand before the first one of their layer.
std::string complete_description(std::string_view yaml, const ai8x::Network& network,
                                 const Planned& planned) {
  return Completion(network, planned).text(yaml);
}

}  // namespace edgetwin::max78
