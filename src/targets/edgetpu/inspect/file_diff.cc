#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "targets/edgetpu/inspect/program_diff.h"

namespace edgetwin::edgetpu {
namespace {

// The shortest digits that give the same bits.
std::string real(float value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

class FileComparer {
 public:
  FileDiff run(const darwinn::File& a, const darwinn::File& b) {
    number("operators", a.ops.size(), b.ops.size());
    for (size_t o = 0; o < std::min(a.ops.size(), b.ops.size()); ++o) {
      const auto& x = a.ops[o].packages;
      const auto& y = b.ops[o].packages;
      place_ = std::to_string(o) + ": ";
      number("packages", x.size(), y.size());
      for (size_t p = 0; p < std::min(x.size(), y.size()); ++p) {
        id_ = std::to_string(o) + "." + std::to_string(p);
        package(x[p], y[p]);
      }
    }
    return std::move(diff_);
  }

 private:
  void line(const std::string& text) { diff_.lines.push_back(place_ + text); }
  template <class T>
  void number(const std::string& what, T a, T b) {
    if (a != b) line(what + " " + std::to_string(a) + " and " + std::to_string(b));
  }
  void text(const std::string& what, const std::string& a, const std::string& b) {
    if (a != b) line(what + " '" + a.substr(0, 80) + "' and '" + b.substr(0, 80) + "'");
  }

  void package(const darwinn::Package& a, const darwinn::Package& b) {
    place_ = id_ + ": ";
    number("minimum runtime version", a.min_runtime_version, b.min_runtime_version);
    text("compiler version", a.compiler_version, b.compiler_version);
    number("executables", a.executables.size(), b.executables.size());
    for (size_t e = 0; e < std::min(a.executables.size(), b.executables.size()); ++e) {
      executable(a.executables[e], b.executables[e], id_ + "." + std::to_string(e));
    }
  }

  void executable(const darwinn::Executable& a, const darwinn::Executable& b,
                  const std::string& id) {
    place_ = id + ": ";
    text("type", std::string(darwinn::name(a.type)), std::string(darwinn::name(b.type)));
    number("batch size", a.batch_size, b.batch_size);
    number("scratch bytes", a.scratch_size, b.scratch_size);
    number("narrow memory per tile", a.narrow_memory_per_tile, b.narrow_memory_per_tile);
    text("token", hex_number(a.parameter_caching_token), hex_number(b.parameter_caching_token));
    parameters(a.parameters, b.parameters);
    layers("input", a.inputs, b.inputs);
    layers("output", a.outputs, b.outputs);
    if (a.dma_hints != b.dma_hints) line("the announced transfers differ");
    number("bitstreams", a.bitstreams.size(), b.bitstreams.size());
    for (size_t c = 0; c < std::min(a.bitstreams.size(), b.bitstreams.size()); ++c) {
      place_ = id + "." + std::to_string(c) + ": ";
      bitstream(a.bitstreams[c], b.bitstreams[c]);
    }
  }

  void parameters(const Bytes& a, const Bytes& b) {
    number("parameter bytes", a.size(), b.size());
    if (a.size() != b.size() || a == b) return;
    size_t count = 0;
    size_t first = a.size();
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i]) continue;
      ++count;
      first = std::min(first, i);
    }
    line(std::to_string(count) + " of " + std::to_string(a.size()) +
         " parameter bytes differ, first at " + std::to_string(first));
  }

  void layers(const std::string& what, const std::vector<darwinn::Layer>& a,
              const std::vector<darwinn::Layer>& b) {
    number(what + " layers", a.size(), b.size());
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i] == b[i]) continue;
      const std::string base = place_;
      place_ += what + " " + std::to_string(i) + " ";
      const size_t before = diff_.lines.size();
      layer(a[i], b[i]);
      if (diff_.lines.size() == before) line("differs in its tables");
      place_ = base;
    }
  }

  void layer(const darwinn::Layer& a, const darwinn::Layer& b) {
    text("name", a.name, b.name);
    number("bytes", a.size_bytes, b.size_bytes);
    number("height", a.y_dim, b.y_dim);
    number("width", a.x_dim, b.x_dim);
    number("depth", a.z_dim, b.z_dim);
    text("type", std::string(darwinn::name(a.data_type)), std::string(darwinn::name(b.data_type)));
    if (!a.numerics || !b.numerics) return;
    number("zero point", a.numerics->zero_point, b.numerics->zero_point);
    text("scale", real(a.numerics->factor), real(b.numerics->factor));
  }

  void bitstream(const darwinn::Bitstream& a, const darwinn::Bitstream& b) {
    ++diff_.bitstreams;
    if (a == b) return;
    const ProgramDiff d = compare(a, b);
    if (a.field_offsets != b.field_offsets) line("the address fields differ");
    if (d.changes.empty() && a.data.size() == b.data.size()) {
      if (a.data != b.data) line("words differ that are no instructions, or only address fields");
      return;
    }
    ++diff_.different_bitstreams;
    line(std::to_string(d.instructions_a) + " and " + std::to_string(d.instructions_b) +
         " instructions, " + std::to_string(d.equal) + " equal" +
         (d.aligned ? "" : "; too different to be aligned, compared by position"));
    for (const InstructionChange& c : d.changes) change(c);
  }

  void change(const InstructionChange& c) {
    constexpr size_t kMaxLines = 100'000;
    if (diff_.lines.size() >= kMaxLines) return;
    if (c.change != Change::fields) {
      const bool a = c.change == Change::only_a;
      line("word " + std::to_string(a ? c.word_a : c.word_b) + " only in the " +
           (a ? "first: " : "second: ") + c.name);
      return;
    }
    std::string text = "word " + std::to_string(c.word_a);
    if (c.word_b != c.word_a) text += " / " + std::to_string(c.word_b);
    text += " " + c.name + ":";
    for (size_t i = 0; i < c.fields.size(); ++i) {
      const FieldChange& f = c.fields[i];
      text += (i == 0 ? " " : ", ") + f.field + " " + f.a + " -> " + f.b;
    }
    line(text);
  }

  std::string place_, id_;
  FileDiff diff_;
};

}  // namespace

FileDiff compare(const darwinn::File& a, const darwinn::File& b) {
  return FileComparer().run(a, b);
}

}  // namespace edgetwin::edgetpu
