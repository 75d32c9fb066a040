#include "targets/edgetpu/virtual_device/reference/hint_streams.h"

#include <algorithm>
#include <cstring>

namespace edgetwin::edgetpu {
namespace {

using darwinn::BaseAddress;
using darwinn::DmaHint;
using darwinn::HintKind;

// The transfers of an executable in one direction with one kind of data, in order.
template <class Wanted>
std::vector<DmaHint> hints_of(const darwinn::Executable& e, Wanted wanted) {
  std::vector<DmaHint> list;
  if (!e.dma_hints) return list;
  for (const DmaHint& h : e.dma_hints->hints) {
    if (h.kind == HintKind::descriptor && wanted(h)) list.push_back(h);
  }
  return list;
}

// Input and scratch memory go in by one stream, output and scratch come out by one.
bool is_input(const DmaHint& h) {
  return h.meta.base == BaseAddress::input ||
         (h.meta.base == BaseAddress::scratch && h.direction == darwinn::Direction::to_device);
}
bool is_output(const DmaHint& h) {
  return h.meta.base == BaseAddress::output ||
         (h.meta.base == BaseAddress::scratch && h.direction == darwinn::Direction::from_device);
}
bool is_parameter(const DmaHint& h) { return h.meta.base == BaseAddress::parameter; }

// Copies what came of a stream to where its transfers belong. Bytes beyond `to` are padding.
template <class Target>
void scatter(const std::vector<DmaHint>& hints, ByteSpan stream, Target target) {
  size_t at = 0;
  for (const DmaHint& h : hints) {
    const size_t size = std::min(static_cast<size_t>(h.size), stream.size() - at);
    std::span<std::byte> to = target(h);
    const auto offset = static_cast<size_t>(h.offset);
    if (offset < to.size()) {
      std::memcpy(to.data() + offset, stream.data() + at, std::min(size, to.size() - offset));
    }
    at += size;
    if (at == stream.size()) return;
  }
}

size_t total(const std::vector<DmaHint>& hints) {
  size_t sum = 0;
  for (const DmaHint& h : hints) sum += static_cast<size_t>(h.size);
  return sum;
}

}  // namespace

InputBytes input_bytes(const darwinn::Executable& e) {
  const auto scratch = [](const DmaHint& h) {
    return is_input(h) && h.meta.base == BaseAddress::scratch;
  };
  return {total(hints_of(e, is_input)), total(hints_of(e, scratch))};
}

Bytes parameters_of(const darwinn::Executable& e, ByteSpan stream) {
  const std::vector<DmaHint> hints = hints_of(e, is_parameter);
  const bool whole = hints.size() == 1 && stream.size() == e.parameters.size();
  if (whole) return to_bytes(stream);
  Bytes blob = e.parameters;
  scatter(hints, stream, [&](const DmaHint&) { return std::span(blob); });
  return blob;
}

std::vector<Bytes> inputs_of(const darwinn::Executable& e, ByteSpan stream) {
  std::vector<Bytes> layers;
  for (const darwinn::Layer& l : e.inputs) layers.emplace_back(static_cast<size_t>(l.size_bytes));
  const auto layer = [&](const DmaHint& h) -> std::span<std::byte> {
    if (h.meta.base != BaseAddress::input) return {};
    for (size_t i = 0; i < e.inputs.size(); ++i) {
      if (e.inputs[i].name == h.meta.name) return layers[i];
    }
    return {};
  };
  scatter(hints_of(e, is_input), stream, layer);
  return layers;
}

Bytes output_stream(const darwinn::Executable& e, const std::vector<Bytes>& layers) {
  Bytes stream;
  for (const DmaHint& h : hints_of(e, is_output)) {
    const size_t begin = stream.size();
    stream.resize(begin + static_cast<size_t>(h.size));
    if (h.meta.base != BaseAddress::output) continue;
    for (size_t i = 0; i < e.outputs.size(); ++i) {
      if (e.outputs[i].name != h.meta.name) continue;
      const auto from = std::min(static_cast<size_t>(h.offset), layers[i].size());
      const size_t size = std::min(static_cast<size_t>(h.size), layers[i].size() - from);
      std::memcpy(stream.data() + begin, layers[i].data() + from, size);
    }
  }
  return stream;
}

}  // namespace edgetwin::edgetpu
