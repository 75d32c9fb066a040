#include "targets/edgetpu/virtual_device/reference/library.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "targets/edgetpu/virtual_device/reference/parameter_gaps.h"
#include "transform/subgraph.h"

namespace edgetwin::edgetpu {
namespace {

Error refuse(const std::string& model, std::string message) {
  return Error(ErrorCode::stick_layer, std::move(message))
      .in_file(model)
      .with_hint("Give the .tflite model that this one was compiled from.");
}

std::optional<ValueId> find_value(const Graph& graph, const std::string& name) {
  for (size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].name == name) return static_cast<ValueId>(i);
  }
  return std::nullopt;
}

// Whether a layer of the chip and a tensor of the source are the same numbers.
Status check_same(const KnownModel& m, const darwinn::Layer& layer, const Value& value) {
  const bool fits =
      (layer.data_type == darwinn::DataType::unsigned8 && value.dtype == DType::uint8) ||
      (layer.data_type == darwinn::DataType::signed8 && value.dtype == DType::int8) ||
      (layer.data_type == darwinn::DataType::signed16 && value.dtype == DType::int16);
  if (!fits) {
    return refuse(m.name, "'" + layer.name + "' is " + std::string(darwinn::name(layer.data_type)) +
                              " on the chip and " + std::string(edgetwin::name(value.dtype)) +
                              " in the reference");
  }
  if (!value.has_shape || !value.shape.is_static() || value.shape.elements() != layer.elements()) {
    return refuse(m.name, "'" + layer.name + "' has " + std::to_string(layer.elements()) +
                              " elements on the chip and the shape " + to_string(value.shape) +
                              " in the reference");
  }
  return Ok{};
}

// Sizes that a computation is going to believe.
Status check_sizes(const KnownModel& m, const darwinn::Executable& e) {
  constexpr int64_t kMost = int64_t{1} << 30U;
  const auto fits = [](int64_t n) { return n >= 0 && n <= kMost; };
  bool good = true;
  int64_t sum = 0;
  for (const auto* layers : {&e.inputs, &e.outputs}) {
    for (const darwinn::Layer& l : *layers) {
      const int64_t bytes = l.elements() * darwinn::bytes_of(l.data_type);
      good = good && fits(l.size_bytes) && bytes >= 0 && bytes <= l.size_bytes;
    }
  }
  if (e.dma_hints) {
    for (const darwinn::DmaHint& h : e.dma_hints->hints) {
      good = good && fits(h.offset) && fits(h.size) && fits(sum += h.size);
    }
  }
  if (good) return Ok{};
  return refuse(m.name, "the sizes of its layers and transfers do not fit each other");
}

// Scratch outputs and variables that come back have no tensor of their own.
Status bind(KnownModel& m, const Graph& reference) {
  const darwinn::Executable& e = *m.content->inference();
  for (const darwinn::Executable& any : m.content->executables) EDGETWIN_TRY(check_sizes(m, any));
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  for (size_t i = 0; i < e.inputs.size(); ++i) {
    const auto id = find_value(reference, e.inputs[i].name);
    if (!id) return refuse(m.name, "the reference has no tensor '" + e.inputs[i].name + "'");
    EDGETWIN_TRY(check_same(m, e.inputs[i], reference.value(*id)));
    m.inputs.push_back({i, inputs.size()});
    inputs.push_back(*id);
  }
  for (size_t i = 0; i < e.outputs.size(); ++i) {
    const auto id = find_value(reference, e.outputs[i].name);
    if (!id) return refuse(m.name, "the reference has no tensor '" + e.outputs[i].name + "'");
    EDGETWIN_TRY(check_same(m, e.outputs[i], reference.value(*id)));
    EDGETWIN_TRY_ASSIGN(darwinn::Relayout relayout, darwinn::Relayout::make(e.outputs[i]));
    m.outputs.push_back({i, outputs.size(), std::move(relayout)});
    outputs.push_back(*id);
  }
  transform::Subgraph part = transform::subgraph(reference, std::move(inputs), std::move(outputs));
  const Status sound = verify_graph(part.graph);
  if (!sound.ok()) {
    return refuse(m.name, "the reference does not lead from the chip's inputs to its outputs")
        .detail(sound.error().message);
  }
  m.graph = std::make_shared<const Graph>(std::move(part.graph));
  for (const ReferenceLayer& l : m.located->layers) m.op_of.push_back(part.op_of[l.op]);
  return Ok{};
}

KnownProgram known_program(size_t model, const darwinn::Executable& e) {
  KnownProgram p;
  p.model = model;
  p.executable = &e;
  if (e.dma_hints) {
    for (const darwinn::DmaHint& h : e.dma_hints->hints) {
      if (h.kind == darwinn::HintKind::instruction) p.order.push_back(static_cast<size_t>(h.chunk));
    }
  }
  for (size_t i = 0; p.order.size() < e.bitstreams.size() && i < e.bitstreams.size(); ++i) {
    if (std::find(p.order.begin(), p.order.end(), i) == p.order.end()) p.order.push_back(i);
  }
  for (const darwinn::Bitstream& b : e.bitstreams) {
    Bytes mask(b.data.size(), std::byte{0xff});
    for (const darwinn::FieldOffset& f : b.field_offsets) {
      for (size_t bit = 0; bit < 32; ++bit) {
        const size_t at = static_cast<size_t>(f.offset_bit) + bit;
        if (at / 8 < mask.size()) mask[at / 8] &= ~(std::byte{1} << (at % 8));
      }
    }
    Bytes masked = b.data;
    for (size_t i = 0; i < masked.size(); ++i) masked[i] &= mask[i];
    p.masks.push_back(std::move(mask));
    p.masked.push_back(std::move(masked));
  }
  return p;
}

}  // namespace

namespace {

std::optional<std::string> regular(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  return path.string();
}

}  // namespace

std::optional<std::string> find_reference(const std::string& compiled_file) {
  const std::filesystem::path path(compiled_file);
  const std::filesystem::path folder = path.parent_path();
  const std::string extension = path.extension().string();
  const std::string ending = "_edgetpu";
  std::string stem = path.stem().string();
  if (!stem.ends_with(ending) || stem.size() == ending.size()) return std::nullopt;
  stem.resize(stem.size() - ending.size());
  if (auto beside = regular(folder / (stem + extension))) return beside;
  // Models that were compiled together are kept in a folder of their own.
  const size_t together = stem.find("_cocompiled");
  if (together == std::string::npos || together == 0) return std::nullopt;
  stem.resize(together);
  if (auto beside = regular(folder / (stem + extension))) return beside;
  return regular(folder.parent_path() / (stem + extension));
}

bool KnownProgram::is_chunk(size_t chunk, ByteSpan received) const {
  if (chunk >= masks.size() || received.size() != masks[chunk].size()) return false;
  for (size_t i = 0; i < received.size(); ++i) {
    if ((received[i] & masks[chunk][i]) != masked[chunk][i]) return false;
  }
  return true;
}

Status Library::learn(darwinn::File compiled, const std::shared_ptr<const Graph>& reference,
                      const std::string& name) {
  files_.push_back(std::make_unique<const darwinn::File>(std::move(compiled)));
  const darwinn::File& file = *files_.back();
  std::shared_ptr<const Located> located;
  if (reference != nullptr) {
    Located found = locate(file, *reference);
    fill_gaps(found);
    located = std::make_shared<const Located>(std::move(found));
  }
  for (size_t o = 0; o < file.ops.size(); ++o) {
    for (size_t p = 0; p < file.ops[o].packages.size(); ++p) {
      KnownModel m;
      m.name = name;
      m.op = o;
      m.package = p;
      m.content = &file.ops[o].packages[p];
      m.located = located;
      if (m.content->inference() == nullptr) continue;
      m.why_not = "it has no reference";
      if (reference != nullptr) EDGETWIN_TRY(bind(m, *reference));
      for (const darwinn::Executable& e : m.content->executables) {
        programs_.push_back(known_program(models_.size(), e));
      }
      models_.push_back(std::move(m));
    }
  }
  return Ok{};
}

}  // namespace edgetwin::edgetpu
