// One item of `layers`: what does not depend on the operator.
#include <algorithm>

#include "formats/ai8x/reader.h"

namespace edgetwin::ai8x {
namespace {

struct KeyLimits {
  int64_t low;
  int64_t high;
};

constexpr KeyLimits kLimits[] = {
#define LAYER_KEY(key, kind, low, high, default_text) {low, high},
#include "formats/ai8x/keys.def"
};

const KeyLimits& limits_of(Key key) { return kLimits[static_cast<size_t>(key)]; }

const std::vector<KeyRow>& layer_rows(Maps maps) {
  static const std::vector<KeyRow> rows = {
#define LAYER_KEY(key, kind, low, high, default_text) \
  {#key, static_cast<size_t>(Key::key), Key::key == Key::processors},
#define ALIAS(spelling, key) {#spelling, static_cast<size_t>(Key::key), false},
#include "formats/ai8x/keys.def"
  };
  static const std::vector<KeyRow> without = [] {
    std::vector<KeyRow> all = rows;
    for (KeyRow& row : all) row.mandatory = false;
    return all;
  }();
  return maps == Maps::needed ? rows : without;
}

}  // namespace

Mark LayerReader::mark(Key key) const {
  const YamlNode* node = get(key);
  return node != nullptr ? node->mark : layer_mark_;
}

Finding& LayerReader::error(ErrorCode code, Key key, std::string message) {
  return findings_.error(code, mark(key), std::string(name(key)), std::move(message));
}

std::optional<int> LayerReader::integer(Key key) {
  if (get(key) == nullptr) return std::nullopt;
  const auto value = values_.integer(*get(key), name(key), limits_of(key).low, limits_of(key).high);
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

void LayerReader::integer(Key key, int& out) { out = integer(key).value_or(out); }

void LayerReader::boolean(Key key, bool& out) {
  if (get(key) != nullptr) out = values_.boolean(*get(key), name(key)).value_or(out);
}

void LayerReader::size(Key key, Size2& out) {
  if (get(key) == nullptr) return;
  out = values_.size(*get(key), name(key), limits_of(key).low, limits_of(key).high, false)
            .value_or(out);
}

void LayerReader::only_max78002(Key key, bool used, std::string_view what) {
  if (!used || device_ == Device::max78002) return;
  error(ErrorCode::ai8x_device, key, "the MAX78000 has no " + std::string(what));
}

void LayerReader::read(const YamlNode& map, int previous, Layer& layer, LayerLinks& links) {
  layer.mark = layer_mark_ = map.mark;
  layer.sequence = previous + 1;
  nodes_ = entries(map, layer_rows(maps_), kKeyCount, "a layer", findings_);
  for (size_t i = 0; i < kKeyCount; ++i) {
    if (nodes_[i] != nullptr) layer.marks[i] = nodes_[i]->mark;
  }
  if (get(Key::name) != nullptr) {
    layer.name = values_.text(*get(Key::name), "name").value_or("");
    findings_.about("layer " + std::to_string(layer.sequence) + " '" + shown(layer.name) + "'");
  }
  integer(Key::sequence, layer.sequence);
  read_operator(layer);
  read_eltwise(layer);
  read_pooling(layer);
  read_convolution(layer);
  read_parameters(layer);
  read_input(layer, links);
  read_output(layer);
  read_order(layer, links);
  fix_up(layer);
  check_buffer(layer);
}

void LayerReader::read_input(Layer& layer, LayerLinks& links) {
  if (get(Key::processors) != nullptr) {
    const auto value = values_.map(*get(Key::processors), "processors");
    layer.processors = value.value_or(1);
    if (value && *value == 0) {
      error(ErrorCode::ai8x_processors, Key::processors, "'processors' selects no processor");
    }
  }
  layer.in_channels = integer(Key::in_channels);
  if (get(Key::in_dim) != nullptr) {
    const KeyLimits& range = limits_of(Key::in_dim);
    layer.in_dim = values_.size(*get(Key::in_dim), "in_dim", range.low, range.high, true);
  }
  if (const YamlNode* crop = get(Key::in_crop)) {
    const KeyLimits& range = limits_of(Key::in_crop);
    const auto rows = values_.integers(*crop, "in_crop", range.low, range.high);
    if (rows && rows->size() != 2) {
      error(ErrorCode::ai8x_type, Key::in_crop,
            "'in_crop' takes a list [rows at the start, rows at the end]");
    } else if (rows) {
      layer.in_crop = {(*rows)[0], (*rows)[1]};
      if ((*rows)[1] == 0 && (*rows)[0] != 0) {
        findings_.warning(ErrorCode::ai8x_crop, crop->mark, "in_crop",
                          "in_crop removes " + std::to_string((*rows)[0]) +
                              " rows at the start and none at the end");
      }
    }
  }
  layer.in_offset = integer(Key::in_offset);
  integer(Key::in_skip, layer.in_skip);
  only_max78002(Key::in_skip, layer.in_skip != 0, "read gap (in_skip)");
  integer(Key::in_channel_skip, layer.in_channel_skip);
  if (get(Key::in_sequences) != nullptr) {
    links.in_sequences = values_.references(*get(Key::in_sequences), "in_sequences");
  }
  layer.big_data = choice<bool>(Key::data_format).value_or(false);
  boolean(Key::streaming, layer.streaming);
  boolean(Key::flatten, layer.flatten);
}

void LayerReader::read_output(Layer& layer) {
  if (get(Key::output_processors) != nullptr) {
    const auto value = values_.map(*get(Key::output_processors), "output_processors");
    if (value && *value == 0) {
      error(ErrorCode::ai8x_processors, Key::output_processors,
            "'output_processors' selects no processor");
    }
    layer.output_processors = value;
  }
  layer.out_channels = integer(Key::out_channels);
  layer.output_width = choice<int>(Key::output_width).value_or(8);
  integer(Key::write_gap, layer.write_gap);
  boolean(Key::output, layer.output);
  if (get(Key::out_offset) == nullptr) {
    if (maps_ == Maps::planned) return;
    findings_.warning(ErrorCode::ai8x_default, layer.mark, "out_offset",
                      "out_offset is not given; it is 0");
    return;
  }
  layer.out_offset = integer(Key::out_offset).value_or(0);
  // Whether the output fits after its offset is for the memory map to say.
  const int64_t all = 16 * limits(device_).instance_bytes;
  if (layer.out_offset >= all) {
    error(ErrorCode::ai8x_offset, Key::out_offset,
          "out_offset " + std::to_string(layer.out_offset) + " lies beyond the data memory")
        .details = {"16 data memories of " + std::to_string(limits(device_).instance_bytes) +
                        " bytes = " + std::to_string(all) + " bytes",
                    "one layer's output fits after offsets below " +
                        std::to_string(limits(device_).instance_bytes)};
  }
}

void LayerReader::read_order(Layer& layer, LayerLinks& links) {
  const auto link = [this](Key key) {
    return get(key) != nullptr ? values_.reference(*get(key), name(key)) : std::nullopt;
  };
  links.next_sequence = link(Key::next_sequence);
  links.simulated_sequence = link(Key::simulated_sequence);
  links.weight_source = link(Key::weight_source);
  layer.snoop_sequence = integer(Key::snoop_sequence);
  boolean(Key::calcx4, layer.calcx4);
  boolean(Key::readahead, layer.readahead);
  if (get(Key::tcalc) != nullptr) layer.tcalc = values_.boolean(*get(Key::tcalc), "tcalc");
  only_max78002(Key::calcx4, layer.calcx4, "calcx4");
  only_max78002(Key::readahead, layer.readahead, "readahead");
  only_max78002(Key::snoop_sequence, layer.snoop_sequence.has_value(), "snoop_sequence");
}

// buffer_shift and buffer_insert (specification, 1.3).
void LayerReader::check_buffer(Layer& layer) {
  layer.buffer_shift = integer(Key::buffer_shift);
  layer.buffer_insert = integer(Key::buffer_insert);
  const bool has_source = get(Key::in_sequences) != nullptr;
  if (layer.buffer_shift && !has_source && maps_ == Maps::needed) {
    error(ErrorCode::ai8x_buffer, Key::buffer_shift, "buffer_shift needs in_sequences");
  }
  if (layer.buffer_shift && layer.op != Operator::none) {
    error(ErrorCode::ai8x_buffer, Key::buffer_shift,
          "buffer_shift is for passthrough layers; this is " + std::string(name(layer.op)));
  }
  if (layer.buffer_insert && get(Key::out_offset) == nullptr && maps_ == Maps::needed) {
    error(ErrorCode::ai8x_buffer, Key::buffer_insert, "buffer_insert needs out_offset");
  }
}

}  // namespace edgetwin::ai8x
