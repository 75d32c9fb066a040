#include "base/file.h"
#include "cli/edgetpu/arguments.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/edgetpu.h"
#include "report/format.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;
using report::TextTable;

std::string percent(int64_t part, int64_t whole) {
  if (whole == 0) return "100 %";
  char text[32];
  // Cut off, so that 100 means all.
  const auto hundredths = static_cast<int>(part * 10000 / whole);
  std::snprintf(text, sizeof text, "%d.%02d %%", hundredths / 100, hundredths % 100);
  return part == whole ? "100 %" : text;
}

std::string header_text(const ParameterBlocks& b) {
  std::string text;
  const auto add = [&text](bool has, const char* word) {
    if (has) text += (text.empty() ? "" : "+") + std::string(word);
  };
  add(b.has_scale, "scales");
  add(b.has_bias, "bias");
  add(b.has_zero, "zeros");
  return text.empty() ? "none" : text;
}

std::string size_text(const ParameterBlocks& b) {
  return std::to_string(b.in) + " to " + std::to_string(b.out) + ", " + std::to_string(b.kernel_h) +
         "x" + std::to_string(b.kernel_w);
}

Json run_json(const ParameterRun& r, size_t blob) {
  Json j = Json::object();
  j.set("blob", blob).set("offset", r.offset).set("bytes", r.bytes);
  j.set("kind", r.kind).set("layer", r.layer).set("explained", r.explained);
  if (!r.blocks) return j;
  const ParameterBlocks& b = *r.blocks;
  j.set("block", b.kind).set("in", b.in).set("out", b.out);
  j.set("kernel_h", b.kernel_h).set("kernel_w", b.kernel_w);
  j.set("slots", b.slots).set("line_order", b.order);
  j.set("has_scale", b.has_scale).set("has_bias", b.has_bias);
  j.set("has_zero", b.has_zero).set("zero_point", b.zero_point);
  j.set("input_scale", static_cast<double>(b.input_scale));
  j.set("weight_scales", b.weight_scales);
  if (b.output_scale != 0.0F) j.set("output_scale", static_cast<double>(b.output_scale));
  return j;
}

Json print_runs(const ParameterFile& f, size_t blob, Console& console) {
  TextTable table({{"offset", TextTable::Align::right},
                   {"bytes", TextTable::Align::right},
                   {"kind"},
                   {"channels"},
                   {"header"},
                   {"zero", TextTable::Align::right},
                   {"order"},
                   {"explained"},
                   {"layer"}});
  Json list = Json::array();
  for (const ParameterRun& r : f.runs) {
    const ParameterBlocks* b = r.blocks ? &*r.blocks : nullptr;
    table.add({std::to_string(r.offset), std::to_string(r.bytes), b != nullptr ? b->kind : r.kind,
               b != nullptr ? size_text(*b) : "", b != nullptr ? header_text(*b) : "",
               b != nullptr ? std::to_string(b->zero_point) : "",
               b != nullptr && b->ordered ? b->order : "",
               percent(static_cast<int64_t>(r.explained), static_cast<int64_t>(r.bytes)), r.layer});
    list.push(run_json(r, blob));
  }
  console.print(table.text(2));
  return list;
}

// Without the uncompiled model of a network of several layers: what the parameter program says.
Json print_segments(const ParameterFile& f, Console& console) {
  TextTable table({{"offset", TextTable::Align::right},
                   {"bytes", TextTable::Align::right},
                   {"tiles", TextTable::Align::right}});
  Json list = Json::array();
  for (const ParameterSegment& s : f.segments) {
    char tiles[16];
    std::snprintf(tiles, sizeof tiles, "0x%04x", s.tiles);
    table.add({std::to_string(s.offset), std::to_string(s.bytes), tiles});
    Json j = Json::object();
    list.push(j.set("offset", s.offset).set("bytes", s.bytes).set("tiles", s.tiles));
  }
  console.print(table.text(2));
  return list;
}

}  // namespace

Result<int> execute(const ParamsListArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Parameters p, parameters_of(a.model, a.reference));
  for (const Finding& f : p.findings) console.finding(f);
  Json blobs = Json::array();
  for (size_t b = 0; b < p.files.size(); ++b) {
    const ParameterFile& f = p.files[b];
    console.print(f.name + " " + f.type + ": " + std::to_string(f.bytes) + " bytes, explained " +
                  std::to_string(f.explained) + " (" + percent(f.explained, f.bytes) + ")\n");
    Json pieces = Json::array(), segments = Json::array();
    if (p.located) pieces = print_runs(f, b, console);
    if (!p.located) segments = print_segments(f, console);
    Json j = Json::object();
    j.set("file", f.name).set("type", f.type);
    j.set("bytes", f.bytes).set("explained", f.explained);
    blobs.push(j.set("pieces", std::move(pieces)).set("segments", std::move(segments)));
  }
  for (const std::string& layer : p.missing) {
    console.print("not in the parameters: " + layer + "\n");
  }
  if (!p.located && a.reference.empty() && !p.files.empty()) {
    console.note("--reference MODEL.tflite tells which layer is where.");
  }
  console.print("explained " + std::to_string(p.explained) + " of " + std::to_string(p.bytes) +
                " bytes, " + percent(p.explained, p.bytes) + "\n");
  console.json().set("blobs", std::move(blobs)).set("missing", Json::list(p.missing));
  console.json().set("bytes", p.bytes).set("explained", p.explained);
  return kYes;
}

Result<int> execute(const ParamsBuildArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const BuiltParameterFiles built, build_parameters(a.like, a.reference));
  for (const Finding& f : built.findings) console.finding(f);
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  Json list = Json::array();
  bool equal = true;
  for (const BuiltParameters& b : built.files) {
    EDGETWIN_TRY(folder.write(b.file.path, b.file.bytes));
    equal = equal && b.equal;
    const char* word = b.made == 0 ? "copied     " : b.equal ? "equal      " : "different  ";
    console.print(word + b.file.path + "  " + std::to_string(b.file.bytes.size()) + " bytes, " +
                  std::to_string(b.made) + " made from the model, " + std::to_string(b.copied) +
                  " copied\n");
    Json j = Json::object();
    j.set("file", b.file.path).set("bytes", b.file.bytes.size());
    j.set("made", b.made).set("copied", b.copied);
    list.push(j.set("equal", b.equal));
  }
  EDGETWIN_TRY(folder.commit());
  console.json().set("files", std::move(list)).set("equal", equal);
  return equal ? kYes : kNo;
}

namespace {

Status write_array(AtomicFolder& folder, const std::string& file, const Tensor& t,
                   Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(t));
  console.print("wrote  " + file + "  " + to_string(t.shape) + " " + std::string(name(t.dtype)) +
                "\n");
  return folder.write(file, bytes);
}

}  // namespace

Result<int> execute(const ParamsExtractArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const ExtractedParameters e, extract_parameters(a.model, a.reference));
  for (const Finding& f : e.findings) console.finding(f);
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  for (const LayerParameters& l : e.layers) {
    EDGETWIN_TRY(write_array(folder, l.stem + "_weights.npy", l.weights, console));
    if (l.bias) EDGETWIN_TRY(write_array(folder, l.stem + "_bias.npy", *l.bias, console));
    if (l.scales) EDGETWIN_TRY(write_array(folder, l.stem + "_scales.npy", *l.scales, console));
  }
  EDGETWIN_TRY(folder.commit());
  console.json().set("output", a.output.path).set("layers", e.layers.size());
  return kYes;
}

}  // namespace edgetwin::cli
