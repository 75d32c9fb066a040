#include "cli/info/describe.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "report/format.h"
#include "targets/edgetpu/decompile/layers/find_layers.h"

namespace edgetwin::cli {
namespace {

using edgetpu::CopyPattern;
using edgetpu::DecodedProgram;
using edgetpu::DecompiledLayer;
using edgetpu::Layers;
using edgetpu::Nest;
using report::Json;
using report::TextTable;

// Words times tiles that the copy engines write, or hand on where they only read.
int64_t moved_bytes(const DecodedProgram& steps, size_t begin, size_t end) {
  int64_t bytes = 0;
  for (size_t i = begin; i < end; ++i) {
    if (!steps.is_copy(i)) continue;
    const CopyPattern& c = steps.copy(i);
    if (c.engine == edgetpu::CopyEngine::ring_send || c.numbers ||
        c.engine == edgetpu::CopyEngine::ring_receive) {
      continue;
    }
    // Into wide memory the other side counts lines.
    const bool lines = c.engine == edgetpu::CopyEngine::narrow_to_wide;
    const uint64_t words = c.uses_b() && !lines ? c.b.count() : c.a.count();
    constexpr uint64_t kMost = uint64_t{1} << 32U;
    bytes += static_cast<int64_t>(std::min(words, kMost)) * std::popcount(c.tiles) * 4;
  }
  return bytes;
}

struct Span {
  int64_t low = edgetpu::kNarrowBytes, high = -1;
  void add(const edgetpu::Traversal& t) {
    low = std::min(low, t.lowest());
    high = std::max(high, t.highest());
  }
  std::string text() const { return std::to_string(low) + "-" + std::to_string(high); }
};

struct ProgramRow {
  uint32_t tiles = 0;
  Span in, out;
  size_t first = 0, last = 0;  // steps
};

ProgramRow row_of(const Layers& layers, const DecompiledLayer& l) {
  ProgramRow r;
  r.first = layers.replay.steps.all.size();
  for (const size_t s : l.stages) {
    for (const size_t i : layers.replay.stages[s].steps) {
      const Nest& n = layers.replay.steps.nest(i);
      r.tiles |= n.tiles;
      r.in.add(n.in);
      r.out.add(n.out);
      r.first = std::min(r.first, i);
      r.last = std::max(r.last, i);
    }
  }
  return r;
}

std::string block_text(const DecompiledLayer& l) {
  if (l.blocks.empty()) return "";
  size_t bytes = 0;
  for (const auto& b : l.blocks) bytes += b.bytes;
  return std::to_string(l.blocks.front().offset) +
         (l.blocks.front().cached ? " +" + std::to_string(bytes) : " streamed");
}

Json print_layers(const Layers& layers, Console& console) {
  TextTable table({{"#", TextTable::Align::right},
                   {"operator"},
                   {"words", TextTable::Align::right},
                   {"tiles"},
                   {"reads bytes", TextTable::Align::right},
                   {"writes bytes", TextTable::Align::right},
                   {"copied before", TextTable::Align::right},
                   {"parameters", TextTable::Align::right}});
  Json list = Json::array();
  const DecodedProgram& steps = layers.replay.steps;
  size_t done = 0;
  for (size_t l = 0; l < layers.layers.size(); ++l) {
    const DecompiledLayer& layer = layers.layers[l];
    const ProgramRow r = row_of(layers, layer);
    if (r.first >= steps.all.size()) continue;
    const int64_t moved = moved_bytes(steps, std::min(done, r.first), r.first);
    done = std::max(done, r.last + 1);
    const std::string words =
        std::to_string(steps.all[r.first].word) + "-" + std::to_string(steps.all[r.last].word);
    table.add({std::to_string(l), std::string(name(layer.type)), words, hex_number(r.tiles),
               r.in.text(), r.out.text(), std::to_string(moved), block_text(layer)});
    Json j = Json::object();
    j.set("layer", l).set("operator", name(layer.type)).set("tiles", r.tiles);
    j.set("chunk", steps.all[r.first].chunk).set("first_word", steps.all[r.first].word);
    j.set("last_word", steps.all[r.last].word).set("copied_bytes", moved);
    j.set("reads", r.in.text()).set("writes", r.out.text());
    list.push(std::move(j));
  }
  console.print(table.text(2));
  return list;
}

}  // namespace

Status describe_program(ByteSpan data, const std::string& file, Console& console, Json& json) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File read, darwinn::read(data, file));
  Json programs = Json::array();
  for (const darwinn::CompiledOp& op : read.ops) {
    for (const darwinn::Package& package : op.packages) {
      const darwinn::Executable* inference = package.inference();
      if (inference == nullptr) continue;
      auto layers = edgetpu::find_layers(*inference,
                                         package.find(darwinn::ExecutableType::parameter_caching));
      if (!layers.ok()) return std::move(layers).error().in_file(file);
      console.print("\nprogram     " + std::to_string(layers->layers.size()) + " layers from " +
                    std::to_string(layers->replay.steps.nests()) + " tensor instructions\n");
      programs.push(print_layers(*layers, console));
    }
  }
  json.set("programs", std::move(programs));
  return Ok{};
}

}  // namespace edgetwin::cli
