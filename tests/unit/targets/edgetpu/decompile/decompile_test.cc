#include "targets/edgetpu/decompile/decompile.h"

#include <gtest/gtest.h>

#include "exec/input.h"
#include "exec/session.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/decompile/compare/compare.h"
#include "targets/edgetpu/decompile/layers/find_layers.h"
#include "targets/edgetpu/machine/machine.h"
#include "targets/edgetpu/synthesize/synthesize.h"
#include "unit/targets/edgetpu/decompile/source_model.h"
#include "unit/targets/edgetpu/isa/programs.h"

namespace edgetwin::edgetpu {
namespace {

Result<Bytes> compiled_dense(int64_t size) {
  const Model source = dense_source(size);
  EDGETWIN_TRY_ASSIGN(const Synthesized made, synthesize(source));
  return compiled_model(source, made);
}

Result<Decompiled> decompiled(const Bytes& data) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, "compiled"));
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(data, "compiled"));
  return decompile(model, file);
}

Bytes result_of(const Graph& graph, uint32_t seed) {
  auto session =
      exec::Session::create(std::make_shared<const Graph>(graph), {.numerics = "edgetpu"});
  EXPECT_TRUE(session.ok());
  if (!session.ok()) return {};
  const std::vector<Shape> shapes{session->shape(graph.inputs[0])};
  const auto in = exec::generated_inputs(seed, graph, shapes);
  EXPECT_TRUE(session->set_input(0, (*in)[0].data).ok());
  EXPECT_TRUE(session->run().ok());
  const ByteSpan out = session->bytes(graph.outputs[0]);
  return {out.begin(), out.end()};
}

class Dense : public testing::TestWithParam<int64_t> {};

TEST_P(Dense, ComesBackAsItWas) {
  const Model source = dense_source(GetParam());
  const auto data = compiled_dense(GetParam());
  ASSERT_TRUE(data.ok()) << to_text(data.error());
  const auto d = decompiled(*data);
  ASSERT_TRUE(d.ok()) << to_text(d.error());
  EXPECT_TRUE(d->complete());
  ASSERT_EQ(d->ops.size(), 1U);
  EXPECT_TRUE(d->ops[0].scales.inexact.empty());
  const NetworkComparison c = compare_networks(d->model.main(), source.main());
  ASSERT_EQ(c.layers.size(), 1U);
  EXPECT_TRUE(c.layers[0].exact())
      << (c.layers[0].differences.empty() ? "" : c.layers[0].differences[0]);
  EXPECT_TRUE(c.extra.empty());
  const auto written = tflite::write(d->model);
  ASSERT_TRUE(written.ok());
  const auto again = tflite::read(*written, "again");
  ASSERT_TRUE(again.ok());
  for (const uint32_t seed : {1U, 2U, 3U}) {
    EXPECT_EQ(result_of(again->main(), seed), result_of(source.main(), seed));
  }
}
INSTANTIATE_TEST_SUITE_P(Sizes, Dense, testing::Values(256, 512, 768));

Bytes filling(uint64_t word, uint64_t words) {
  if (words == 0) return {};
  Assembly fill(Opcode::move_down);
  fill.set("tiles", 0xF).set("fill", 1).set("pattern", 0x09090909).set("b.levels", 1);
  fill.set("b.start", word).set("b.step", 1, 0).set("b.count", words - 1, 0);
  return fill.bytes();
}

// The program of a dense layer without its product: its outputs are read from `word` of the tiles
// on, where its inputs stand, and `filled` words from there on are set to 9.
darwinn::File without_product(const Bytes& data, uint64_t word, uint64_t filled) {
  darwinn::File file = std::move(darwinn::read(data, "compiled")).value();
  for (darwinn::Executable& e : file.ops[0].packages[0].executables) {
    if (e.type != darwinn::ExecutableType::execution_only) continue;
    darwinn::Bitstream& b = e.bitstreams[0];
    const Bytes before = b.data;
    const std::vector<Instruction> all = parse(before).instructions;
    for (size_t n = all.size(); n-- > 0;) {
      const Instruction& i = all[n];
      const size_t at = i.word * kWordBytes;
      if (i.opcode() == Opcode::tensor) {
        replace_bytes(b, at, i.bytes.size(), filling(word, filled));
      } else if (i.get_or_zero("numbers") != 0) {
        replace_bytes(b, at, i.bytes.size(), {});
      } else if (i.opcode() == Opcode::narrow_to_wide && i.get("tiles") == 0xF) {
        set_field(b, i, "a.start", word);
      }
    }
    set_field(b, all.front(), "length", (b.data.size() / kWordBytes - 2) * kWordBits);
  }
  return file;
}

// Programs that only move bytes are told by executing them.
TEST(Moves, ProgramsWithoutAProduct) {
  const auto data = compiled_dense(256);
  ASSERT_TRUE(data.ok());
  const auto model = tflite::read(*data, "compiled");
  ASSERT_TRUE(model.ok());
  struct Case {
    uint64_t word, filled;
    std::vector<OpKind> ops;
  };
  // Each time from the input, whose scale is another one: told by a RESHAPE.
  const OpKind scale = OpKind::reshape;
  const OpKind slice = OpKind::slice;
  const OpKind join = OpKind::concatenation;
  for (const Case& c :
       std::vector<Case>{{192, 0, {scale}},  // each tile gives the quarter that it has
                         {0, 0, {scale, slice, slice, slice, slice, join}},
                         {192, 5, {scale, slice, slice, slice, slice, join}}}) {
    const darwinn::File file = without_product(*data, c.word, c.filled);
    const auto d = decompile(*model, file);
    ASSERT_TRUE(d.ok()) << to_text(d.error());
    const Graph& g = d->model.main();
    std::vector<OpKind> kinds;
    for (const Op& op : g.ops) kinds.push_back(op.kind);
    ASSERT_EQ(kinds, c.ops) << c.word << " " << c.filled;
    const Bytes in =
        exec::generated_inputs(7, g, std::vector{g.value(g.inputs[0]).shape}).value()[0].data;
    auto chip = machine::Machine::make(file.ops[0].packages[0]);
    ASSERT_TRUE(chip.ok());
    const auto out = chip->run_dense({ByteSpan(in)});
    ASSERT_TRUE(out.ok()) << to_text(out.error());
    EXPECT_EQ(result_of(g, 7), (*out)[0]) << c.word << " " << c.filled;
  }
}

// A changed weight is seen by the comparison, and by nothing else of the layer.
TEST(Compare, OneOtherWeight) {
  const auto data = compiled_dense(256);
  ASSERT_TRUE(data.ok());
  const auto d = decompiled(*data);
  ASSERT_TRUE(d.ok());
  Model source = dense_source(256);
  Bytes weights = *source.graphs[0].values[2].constant;
  weights[100] ^= std::byte{1};
  source.graphs[0].values[2].constant = std::make_shared<const Bytes>(std::move(weights));
  const NetworkComparison c = compare_networks(d->model.main(), source.main());
  EXPECT_EQ(c.exact(), 0U);
  EXPECT_EQ(c.layers[0].differences, std::vector<std::string>{"other weights"});
}

// The instruction's multiplier, zero points and limits changed in the compiled file.
TEST(Decompile, DamagedProgramsAreSaid) {
  auto data = compiled_dense(256);
  ASSERT_TRUE(data.ok());
  const auto file = darwinn::read(*data, "compiled");
  ASSERT_TRUE(file.ok());
  size_t refused = 0;
  for (const darwinn::BitstreamId& id : darwinn::all_bitstreams(*file)) {
    const darwinn::Bitstream& b = *darwinn::find(*file, id);
    for (const Instruction& i : parse(b.data).instructions) {
      if (i.opcode() != Opcode::tensor) continue;
      darwinn::File changed = *file;
      Bytes& bytes = changed.ops[id.op]
                         .packages[id.package]
                         .executables[id.executable]
                         .bitstreams[id.chunk]
                         .data;
      // The input's start at the end of memory: the traversal leads out of it.
      set_bits(std::span(bytes).subspan(i.word * kWordBytes), 191, 18, 0x3FFFC);
      const auto layers = find_layers(*changed.ops[0].packages[0].inference(), nullptr);
      ASSERT_FALSE(layers.ok());
      EXPECT_EQ(layers.error().code, ErrorCode::decompile_program);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST(Decompile, MissingParametersAreAProblemOfTheLayer) {
  const auto data = compiled_dense(256);
  const auto file = darwinn::read(*data, "compiled");
  ASSERT_TRUE(file.ok());
  const auto layers = find_layers(*file->ops[0].packages[0].inference(), nullptr);
  ASSERT_TRUE(layers.ok());
  ASSERT_EQ(layers->layers.size(), 1U);
  EXPECT_FALSE(layers->layers[0].problem.empty());
}

}  // namespace
}  // namespace edgetwin::edgetpu
