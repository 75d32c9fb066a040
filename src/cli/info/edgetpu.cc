#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/info/describe.h"
#include "cli/info/edgetpu_json.h"
#include "cli/shared/text.h"
#include "formats/tflite/tflite.h"
#include "report/folded.h"
#include "report/format.h"
#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/isa/listing.h"
#include "targets/edgetpu/program/blocks.h"

namespace edgetwin::cli {
namespace {

using report::Json;

class Describer {
 public:
  Describer(Console& console) : console_(console) {}

  Json op(const darwinn::CompiledOp& op, size_t index) {
    std::string line = "\nEdge TPU    ";
    if (op.options.size != 0) line += "operator #" + std::to_string(op.op) + ", ";
    line += plural(op.packages.size(), "package");
    if (!op.chips.empty()) line += ", chip version " + std::to_string(op.chips[0]);
    if (op.execution_preference != -1) {
      line += ", execution preference " + std::to_string(op.execution_preference);
    }
    console_.print(line + "\n");
    Json j = Json::object();
    j.set("graph", op.graph).set("operator", op.op).set("payload_version", op.payload_version);
    j.set("execution_preference", op.execution_preference).set("chips", Json::list(op.chips));
    Json packages = Json::array();
    for (size_t p = 0; p < op.packages.size(); ++p) {
      packages.push(package(op.packages[p], std::to_string(index) + "." + std::to_string(p)));
    }
    return j.set("packages", std::move(packages));
  }

  // Without the layer of a package around it.
  Json executable(const darwinn::Executable& e, const std::string& id) {
    Json j = Json::object();
    j.set("id", id).set("type", darwinn::name(e.type)).set("name", e.name).set("chip", e.chip);
    console_.print("  " + id + " " + std::string(darwinn::name(e.type)) + "\n");
    instructions(e, j);
    parameters(e, id, j);
    memory(e, j);
    layers("input", e.inputs, j);
    layers("output", e.outputs, j);
    transfers(e, j);
    return j;
  }

 private:
  Json package(const darwinn::Package& p, const std::string& id) {
    std::string line = "  package " + id + ": " +
                       report::bytes_text(static_cast<int64_t>(p.place.size)) +
                       ", minimum runtime version " + std::to_string(p.min_runtime_version);
    if (!p.compiler_version.empty()) line += ", compiler '" + p.compiler_version + "'";
    if (!p.model_identifier.empty()) line += ", model '" + p.model_identifier + "'";
    console_.print(report::folded(line, 4));
    Json j = Json::object();
    j.set("min_runtime_version", p.min_runtime_version);
    j.set("compiler_version", p.compiler_version).set("bytes", p.place.size);
    j.set("offset", p.place.offset).set("model_identifier", p.model_identifier);
    Json executables = Json::array();
    for (size_t e = 0; e < p.executables.size(); ++e) {
      executables.push(executable(p.executables[e], id + "." + std::to_string(e)));
    }
    return j.set("executables", std::move(executables));
  }

  void row(const std::string& head, const std::string& text) {
    std::string line = "    " + head;
    line.append(head.size() < 14 ? 14 - head.size() : 1, ' ');
    console_.print(report::folded(line + text, 18));
  }

  void instructions(const darwinn::Executable& e, Json& j) {
    std::map<uint8_t, size_t> counts;
    size_t total = 0;
    size_t words = 0;
    size_t fields = 0;
    Json bitstreams = Json::array();
    for (const darwinn::Bitstream& b : e.bitstreams) {
      const edgetpu::Program program = edgetpu::parse(b.data);
      for (const edgetpu::Instruction& i : program.instructions) ++counts[i.info->code];
      total += program.instructions.size();
      words += program.words;
      fields += b.field_offsets.size();
      Json s = bitstream_json(b);
      s.set("instructions", program.instructions.size()).set("whole", program.whole());
      bitstreams.push(std::move(s));
    }
    row("instructions", report::count_text(static_cast<int64_t>(total)) + " in " +
                            plural(e.bitstreams.size(), "bitstream") + " of " +
                            plural(words, "word") + ", " + plural(fields, "address field"));
    Json by_name = Json::object();
    std::string list;
    for (const auto& [code, n] : counts) {
      const edgetpu::OpcodeInfo& info = *edgetpu::find_opcode(code);
      by_name.set(info.name, n);
      list += (list.empty() ? "" : ", ") + report::count_text(static_cast<int64_t>(n)) + " " +
              std::string(info.name);
    }
    if (!list.empty()) row("", list);
    j.set("bitstreams", std::move(bitstreams)).set("instructions", std::move(by_name));
  }

  void parameters(const darwinn::Executable& e, const std::string& id, Json& j) {
    const auto blocks = edgetpu::parameter_blocks(e);
    const bool cached = e.type == darwinn::ExecutableType::parameter_caching;
    std::string text = report::bytes_text(static_cast<int64_t>(e.parameters.size()));
    if (!e.parameters.empty()) {
      text += cached ? ", loaded once and kept" : ", streamed at every inference";
      if (!blocks.empty()) text += ", in " + plural(blocks.size(), "block");
    }
    row("parameters", text);
    j.set("parameter_bytes", e.parameters.size()).set("parameters_cached", cached);
    if (!blocks.empty()) list_blocks(blocks, id, j);
  }

  void list_blocks(const std::vector<edgetpu::ParameterBlock>& blocks, const std::string& id,
                   Json& j) {
    report::TextTable table({{"bitstream"},
                             {"offset", report::TextTable::Align::right},
                             {"bytes", report::TextTable::Align::right},
                             {"tiles"},
                             {"address", report::TextTable::Align::right}});
    Json list = Json::array();
    for (const edgetpu::ParameterBlock& b : blocks) {
      table.add({id + "." + std::to_string(b.chunk), std::to_string(b.offset),
                 std::to_string(b.size), hex_number(b.tiles),
                 b.address < 0 ? "-" : std::to_string(b.address)});
      Json block = Json::object();
      block.set("offset", b.offset).set("bytes", b.size).set("tiles", b.tiles);
      block.set("address", b.address < 0 ? Json() : Json(b.address));
      list.push(std::move(block.set("word", b.word)));
    }
    if (console_.options().verbose) console_.print(table.text(6));
    j.set("parameter_blocks", std::move(list));
  }

  void memory(const darwinn::Executable& e, Json& j) {
    row("memory", report::count_text(e.narrow_memory_per_tile) + " bytes of 196 608 per tile, " +
                      report::count_text(e.scratch_size) + " bytes of scratch on the host");
    row("token", hex_number(e.parameter_caching_token));
    j.set("narrow_memory_per_tile", e.narrow_memory_per_tile).set("scratch_bytes", e.scratch_size);
    j.set("token", hex_number(e.parameter_caching_token)).set("batch_size", e.batch_size);
    j.set("estimated_cycles", e.estimated_cycles_64bit);
  }

  void layers(const std::string& what, const std::vector<darwinn::Layer>& layers, Json& j) {
    Json list = Json::array();
    for (const darwinn::Layer& l : layers) {
      std::string text = "'" + report::shortened(l.name, 80) + "'  " + std::to_string(l.y_dim) +
                         "x" + std::to_string(l.x_dim) + "x" + std::to_string(l.z_dim) + " " +
                         std::string(darwinn::name(l.data_type));
      if (l.numerics) {
        text += " scale " + report::real_text(l.numerics->factor) + " zero point " +
                std::to_string(l.numerics->zero_point);
      }
      text += ", " + report::count_text(l.size_bytes) + " bytes";
      if (darwinn::host_flips_sign(l.data_type)) text += ", sign flipped by the host";
      if (l.layout) text += ", " + tiles_text(l);
      if (l.execution_count != 1) text += ", " + std::to_string(l.execution_count) + " executions";
      row(what, text);
      list.push(layer_json(l));
    }
    j.set(what + "s", std::move(list));
  }

  static std::string tiles_text(const darwinn::Layer& l) {
    const auto distinct = [](std::vector<int32_t> v) {
      std::sort(v.begin(), v.end());
      return static_cast<size_t>(std::unique(v.begin(), v.end()) - v.begin());
    };
    if (l.y_dim * l.x_dim <= 1) return "one position";
    return std::to_string(distinct(l.layout->y_tile)) + " x " +
           std::to_string(distinct(l.layout->x_tile)) + " tiles";
  }

  void transfers(const darwinn::Executable& e, Json& j) {
    if (!e.dma_hints) {
      row("transfers", "not announced");
      j.set("transfers", Json());
      return;
    }
    Json list = Json::array();
    std::string text;
    for (const darwinn::DmaHint& h : e.dma_hints->hints) {
      text += (text.empty() ? "" : ", ") + transfer_text(h);
      list.push(transfer_json(h));
    }
    constexpr size_t kShown = 600;
    if (text.size() > kShown && !console_.options().verbose) {
      text = text.substr(0, text.rfind(',', kShown)) + ", …";
    }
    row("transfers", text + (e.dma_hints->fully_deterministic ? "" : " (more at run time)"));
    j.set("transfers", std::move(list))
        .set("fully_deterministic", e.dma_hints->fully_deterministic);
  }

  static std::string transfer_text(const darwinn::DmaHint& h) {
    switch (h.kind) {
      case darwinn::HintKind::instruction:
        return "instructions " + std::to_string(h.chunk);
      case darwinn::HintKind::interrupt:
        return "interrupt " + std::to_string(h.interrupt);
      case darwinn::HintKind::fence:
        return "fence";
      case darwinn::HintKind::none:
        return "nothing";
      case darwinn::HintKind::descriptor:
        break;
    }
    const bool to_device = h.direction == darwinn::Direction::to_device;
    const std::string base(darwinn::name(h.meta.base));
    std::string text = base;
    if (h.meta.base == darwinn::BaseAddress::scratch) text += to_device ? " read" : " written";
    if (!h.meta.name.empty()) text += " '" + report::shortened(h.meta.name, 40) + "'";
    text += " " + report::count_text(h.size);
    if (h.offset != 0) text += " from " + report::count_text(h.offset);
    return text;
  }

  Console& console_;
};

}  // namespace

Status describe_edgetpu(ByteSpan data, const std::string& file, Console& console, Json& json) {
  auto read = darwinn::read(data, file);
  const bool model = tflite::looks_like_tflite(data);
  if (!read.ok() && !model) return read.error();
  if (!read.ok()) {  // the model around it can be described all the same
    Finding f;
    f.severity = Severity::warning;
    f.id = std::string(read.error().id());
    f.place = read.error().place.field;
    f.message = "the Edge TPU program cannot be opened: " + read.error().message;
    if (read.error().place.offset) {
      f.message += " (at byte " + std::to_string(*read.error().place.offset) + ")";
    }
    console.print(to_text(f));
    json.set("edgetpu_error", report::to_json(read.error()));
    return Ok{};
  }
  if (!model) {
    const std::string kind(darwinn::name(read->container));
    console.print(file + ": Edge TPU " + kind + ", " +
                  report::bytes_text(static_cast<int64_t>(data.size())) + "\n");
    json.set("kind", "edgetpu " + kind);
  }
  for (const Finding& f : read->findings) console.print(to_text(f));
  Describer describer(console);
  Json ops = Json::array();
  for (size_t i = 0; i < read->ops.size(); ++i) {
    const bool wrapped = read->container == darwinn::Container::executable ||
                         read->container == darwinn::Container::bitstream;
    ops.push(wrapped ? describer.executable(read->ops[i].packages[0].executables[0], "0.0.0")
                     : describer.op(read->ops[i], i));
  }
  json.set("edgetpu", std::move(ops));
  return Ok{};
}

}  // namespace edgetwin::cli
