#include <charconv>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "cli/probe/arguments.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/params/probe.h"
#include "twin/compiled.h"

namespace edgetwin::cli {
namespace {

using edgetpu::ByteMeaning;
using edgetpu::Piece;
using edgetpu::WeightPlace;
using report::Json;

Error wrong_use(std::string message) { return {ErrorCode::usage, std::move(message)}; }

// "3,5" or "3,0,1,5".
Result<WeightPlace> parse_place(const std::string& text) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int value = 0;
    const auto r = std::from_chars(at, end, value);
    if (r.ec != std::errc() || (r.ptr != end && *r.ptr != ',')) break;
    numbers.push_back(value);
    at = r.ptr == end ? end : r.ptr + 1;
  }
  if (at != end || (numbers.size() != 2 && numbers.size() != 4)) {
    return wrong_use("'" + text + "' is not OUT,IN or OUT,ROW,COLUMN,IN").in_field("--at");
  }
  if (numbers.size() == 2) return WeightPlace{numbers[0], 0, 0, numbers[1]};
  return WeightPlace{numbers[0], numbers[1], numbers[2], numbers[3]};
}

Result<const Piece*> piece_of(const twin::CompiledModel& m, const std::string& layer) {
  EDGETWIN_TRY_ASSIGN(const size_t index, edgetpu::find_layer(m.located, layer));
  const Piece* piece = m.located.piece_of(index);
  if (piece != nullptr) return piece;
  return Error(ErrorCode::params_template, "the layer has no place in the parameters")
      .in_file(m.name)
      .in_layer(layer);
}

void show_place(const twin::CompiledModel& m, const Piece& piece, const WeightPlace& place,
                size_t in_layer, Console& console) {
  const edgetpu::Blob& blob = m.located.blobs[piece.blob];
  const size_t in_blob = piece.offset + in_layer;
  const auto value = std::to_integer<unsigned>(blob.bytes[in_blob]);
  ByteMeaning meaning;
  meaning.kind = ByteMeaning::Kind::weight;
  meaning.place = place;
  console.print(to_text(meaning) + ": layer + " + std::to_string(in_layer) + ", parameters + " +
                std::to_string(in_blob) + ", file + " +
                std::to_string(blob.place.offset + in_blob) + ": byte " + hex_number(value) + "\n");
  Json j = Json::object();
  j.set("layer_offset", in_layer).set("parameter_offset", in_blob);
  j.set("file_offset", blob.place.offset + in_blob).set("byte", value);
  console.json().set("place", std::move(j));
}

// What the bytes of a blob are, in whatever layer.
class Meanings {
 public:
  explicit Meanings(const edgetpu::Located& located) : located_(located) {}

  std::string text(size_t blob, size_t offset) {
    for (size_t n = 0; n < located_.pieces.size(); ++n) {
      const Piece& p = located_.pieces[n];
      if (p.blob != blob || offset < p.offset || offset >= p.offset + p.bytes) continue;
      const std::string where = p.label + " + " + std::to_string(offset - p.offset) + ": ";
      if (p.kind != edgetpu::PieceKind::layer) return where + std::string(name(p.kind));
      const auto map = maps_.try_emplace(n, p.shape).first;
      return where + to_text(map->second.at(offset - p.offset));
    }
    return "of no layer that was found";
  }

 private:
  const edgetpu::Located& located_;
  std::map<size_t, edgetpu::BlockMap> maps_;  // by piece
};

Status show_offset(const twin::CompiledModel& m, const Piece& piece, int64_t offset,
                   Console& console) {
  const edgetpu::Blob& blob = m.located.blobs[piece.blob];
  if (offset < 0 || static_cast<size_t>(offset) >= blob.bytes.size()) {
    return wrong_use("the parameters have " + std::to_string(blob.bytes.size()) + " bytes")
        .in_field("--offset");
  }
  const std::string text = Meanings(m.located).text(piece.blob, static_cast<size_t>(offset));
  console.print("parameters + " + std::to_string(offset) + ": " + text + "\n");
  console.json().set("meaning", text);
  return Ok{};
}

// Every byte that differs.
Result<bool> compare(const ProbeArguments& a, const twin::CompiledModel& m, Console& console) {
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel other, twin::load_compiled(a.against, a.reference));
  if (m.located.blobs.size() != other.located.blobs.size()) {
    return Error(ErrorCode::params_reference, "the models have other numbers of parameter blocks")
        .in_file(a.against);
  }
  Meanings meanings(m.located);
  Json list = Json::array();
  for (size_t b = 0; b < m.located.blobs.size(); ++b) {
    const ByteSpan x = m.located.blobs[b].bytes;
    const ByteSpan y = other.located.blobs[b].bytes;
    if (x.size() != y.size()) {
      return Error(ErrorCode::params_reference,
                   "the parameters have other sizes: " + std::to_string(x.size()) + " and " +
                       std::to_string(y.size()))
          .in_file(a.against);
    }
    for (size_t k = 0; k < x.size(); ++k) {
      if (x[k] == y[k]) continue;
      const std::string text = meanings.text(b, k);
      const auto before = std::to_integer<unsigned>(x[k]);
      const auto after = std::to_integer<unsigned>(y[k]);
      console.print(std::to_string(k) + ": " + hex_number(before) + " and " + hex_number(after) +
                    ", " + text + "\n");
      Json j = Json::object();
      j.set("blob", b).set("offset", k).set("first", before).set("second", after);
      list.push(j.set("meaning", text));
    }
  }
  const size_t count = list.size();
  console.print(count == 0 ? "equal: the same parameters\n"
                           : "different: " + std::to_string(count) + " bytes\n");
  console.json().set("differences", std::move(list));
  return count == 0;
}

// The value of each byte as the model's weights: q + 128 of int8.
void show_sweep(const twin::CompiledModel& m, const Piece& piece, Console& console) {
  const edgetpu::ReferenceLayer& layer = m.located.layers[piece.layer];
  const int zero = layer.content.zero_points.empty() ? 0 : layer.content.zero_points[0];
  report::TextTable table({{"byte"},
                           {"weight", report::TextTable::Align::right},
                           {"minus zero point", report::TextTable::Align::right}});
  Json list = Json::array();
  for (int byte = 0; byte < 256; ++byte) {
    const int value = layer.signed_weights() ? byte - 128 : byte;
    table.add({hex_number(static_cast<uint64_t>(byte)), std::to_string(value),
               std::to_string(byte - zero)});
    list.push(value);
  }
  console.print(table.text());
  console.json().set("zero_point", zero).set("weights", std::move(list));
}

Result<Bytes> with_matrix(const ProbeArguments& a, const twin::CompiledModel& m,
                          const Piece& piece) {
  const edgetpu::BlockShape& s = piece.shape;
  if (s.kind != edgetpu::BlockKind::dense || s.in != s.out || s.kernel_h * s.kernel_w != 1) {
    return wrong_use("the matrices are square, and the layer is " + std::to_string(s.in) + " to " +
                     std::to_string(s.out) + ", " + std::to_string(s.kernel_h) + "x" +
                     std::to_string(s.kernel_w))
        .in_file(a.model);
  }
  if ((a.matrix == "single_hot") == a.at.empty()) {
    return wrong_use(a.at.empty() ? "single_hot needs --at OUT,IN" : "only single_hot takes --at");
  }
  WeightPlace hot;
  if (!a.at.empty()) {
    EDGETWIN_TRY_ASSIGN(hot, parse_place(a.at));
  }
  EDGETWIN_TRY_ASSIGN(Tensor weights,
                      edgetpu::probe_matrix(a.matrix, s.in, a.value.value_or(127), hot));
  const edgetpu::ReferenceLayer& layer = m.located.layers[piece.layer];
  weights.shape = layer.weight_shape;
  if (!layer.signed_weights()) {
    return wrong_use("the layer's weights are not int8").in_file(a.model);
  }
  EDGETWIN_TRY_ASSIGN(edgetpu::Patched made,
                      edgetpu::patch(m.data, *m.file, m.located, {{a.layer, weights, {}, {}}}));
  return std::move(made.file);
}

// All weights become one raw byte; header and padding stay.
Result<Bytes> with_byte(const twin::CompiledModel& m, const Piece& piece, int value) {
  Bytes file = m.data;
  const edgetpu::Blob& blob = m.located.blobs[piece.blob];
  EDGETWIN_TRY_ASSIGN(edgetpu::BlockContent content, edgetpu::content_of(m.located, piece.layer));
  std::ranges::fill(content.weights, static_cast<std::byte>(value));
  const Bytes block = edgetpu::write_block(piece.shape, content);
  darwinn::Extent place{blob.place.offset + piece.offset,
                        std::min<uint64_t>(block.size(), piece.bytes)};
  EDGETWIN_TRY(darwinn::overwrite(file, place, ByteSpan(block).first(place.size)));
  return file;
}

Status write_probe(const ProbeArguments& a, const Bytes& file, Console& console) {
  if (a.output.empty()) return wrong_use("the new model needs a name: -o");
  EDGETWIN_TRY(a.output.write(ByteSpan(file)));
  console.print(a.output.path + ": the model with other weights\n");
  console.json().set("output", a.output.path);
  return Ok{};
}

Status check_questions(const ProbeArguments& a) {
  const bool at = !a.at.empty() && a.matrix.empty();
  const int questions = (at ? 1 : 0) + (a.offset ? 1 : 0) + (a.against.empty() ? 0 : 1) +
                        (a.sweep ? 1 : 0) + (a.matrix.empty() ? 0 : 1) + (a.byte ? 1 : 0);
  if (questions != 1) {
    return wrong_use(
        "one question at a time: --at, --offset, --against, --sweep, --matrix, --byte");
  }
  if (!a.output.empty() && a.matrix.empty() && !a.byte) {
    return wrong_use("-o goes with --matrix or --byte");
  }
  if (a.byte && (*a.byte < 0 || *a.byte > 255)) return wrong_use("--byte is 0 to 255");
  if (a.value && (*a.value < -128 || *a.value > 127)) return wrong_use("--value is -128 to 127");
  return Ok{};
}

}  // namespace

Result<int> execute(const ProbeArguments& a, Console& console) {
  EDGETWIN_TRY(check_questions(a));
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const twin::CompiledModel m, twin::load_compiled(a.model, a.reference));
  if (!a.against.empty()) {
    EDGETWIN_TRY_ASSIGN(const bool equal, compare(a, m, console));
    return equal ? kYes : kNo;
  }
  EDGETWIN_TRY_ASSIGN(const Piece* piece, piece_of(m, a.layer));
  if (!a.matrix.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes file, with_matrix(a, m, *piece));
    EDGETWIN_TRY(write_probe(a, file, console));
  } else if (a.byte) {
    EDGETWIN_TRY_ASSIGN(const Bytes file, with_byte(m, *piece, *a.byte));
    EDGETWIN_TRY(write_probe(a, file, console));
  } else if (a.sweep) {
    show_sweep(m, *piece, console);
  } else if (a.offset) {
    EDGETWIN_TRY(show_offset(m, *piece, *a.offset, console));
  } else {
    EDGETWIN_TRY_ASSIGN(const WeightPlace place, parse_place(a.at));
    EDGETWIN_TRY_ASSIGN(const size_t offset, edgetpu::offset_of(piece->shape, place));
    show_place(m, *piece, place, offset, console);
  }
  return kYes;
}

}  // namespace edgetwin::cli
