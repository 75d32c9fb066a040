// Graphs made for programs that only move bytes, run beside these.
#include "targets/edgetpu/decompile/write/write_moves.h"

#include <gtest/gtest.h>

#include "exec/session.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kHeight = 4, kWidth = 6, kMovedChannels = 3;

// One compiled operator from a picture of 4 x 6 x 3 to `shape`.
struct Compiled {
  Model model;
  DecompiledOp op;
  darwinn::Executable inference;
  Compiled(DType dtype, const Shape& shape) {
    Graph& g = model.graphs.emplace_back();
    g.values = {value("in", dtype, Shape{1, kHeight, kWidth, kMovedChannels}),
                value("out", dtype, shape)};
    g.inputs = {0};
    g.outputs = {1};
    Op compiled;
    compiled.kind = OpKind::opaque;
    compiled.inputs = {0};
    compiled.outputs = {1};
    g.ops = {compiled};
    inference.inputs.resize(1);
    inference.outputs.resize(1);
    inference.inputs[0].name = "in";
    inference.outputs[0].name = "out";
  }
  static Value value(const char* name, DType dtype, const Shape& shape) {
    Value v;
    v.name = name;
    v.dtype = dtype;
    v.shape = shape;
    v.quant = Quant::affine(0.5F, dtype == DType::int8 ? -8 : 120);
    return v;
  }
  Status write(const ByteProgram& program) {
    GraphRewrite r{model.graphs[0], op, inference};
    return write_moves(r, Op(model.graphs[0].ops[0]), program);
  }
  Bytes run(const Bytes& in) const {
    EXPECT_TRUE(verify_graph(model.graphs[0]).ok());
    auto session = exec::Session::create(std::make_shared<const Graph>(model.graphs[0]),
                                         {.numerics = "edgetpu"});
    EXPECT_TRUE(session.ok()) << to_text(session.error());
    if (!session.ok()) return {};
    EXPECT_TRUE(session->set_input(0, in).ok());
    EXPECT_TRUE(session->run().ok());
    const ByteSpan out = session->bytes(1);
    return {out.begin(), out.end()};
  }
};

Bytes picture() {
  Bytes b(kHeight * kWidth * kMovedChannels);
  for (size_t k = 0; k < b.size(); ++k) b[k] = static_cast<std::byte>(k * 37 + 5);
  return b;
}

// `top`, `left` before the picture, in 7 x 9.
ByteProgram padding(std::byte fill, size_t top, size_t left) {
  return [=](const std::vector<ByteSpan>& in) -> Result<std::vector<Bytes>> {
    Bytes out(7 * 9 * kMovedChannels, fill);
    for (size_t y = 0; y < kHeight; ++y) {
      for (size_t k = 0; k < kWidth * kMovedChannels; ++k) {
        out[((y + top) * 9 + left) * kMovedChannels + k] = in[0][y * kWidth * kMovedChannels + k];
      }
    }
    return std::vector<Bytes>{out};
  };
}

Bytes result_of(const ByteProgram& program, const Bytes& in) {
  return std::move(program({ByteSpan(in)})).value().front();
}

TEST(WriteMoves, PadsWithTheZeroPointAndWithOtherBytes) {
  struct Case {
    DType dtype;
    int fill;
    OpKind kind;
  };
  for (const Case& c : {Case{DType::uint8, 120, OpKind::pad}, Case{DType::int8, 0xF8, OpKind::pad},
                        Case{DType::uint8, 7, OpKind::padv2}}) {
    Compiled net(c.dtype, Shape{1, 7, 9, kMovedChannels});
    const ByteProgram program = padding(static_cast<std::byte>(c.fill), 1, 3);
    const Status written = net.write(program);
    ASSERT_TRUE(written.ok()) << to_text(written.error());
    ASSERT_EQ(net.model.graphs[0].ops.size(), 1U);
    EXPECT_EQ(net.model.graphs[0].ops[0].kind, c.kind);
    EXPECT_EQ(net.run(picture()), result_of(program, picture()));
  }
}

TEST(WriteMoves, CutsRowsOut) {
  Compiled net(DType::uint8, Shape{1, 2, kWidth, kMovedChannels});
  const ByteProgram program = [](const std::vector<ByteSpan>& in) -> Result<std::vector<Bytes>> {
    const auto from = in[0].subspan(kWidth * kMovedChannels, 2 * kWidth * kMovedChannels);
    return std::vector<Bytes>{Bytes(from.begin(), from.end())};
  };
  ASSERT_TRUE(net.write(program).ok());
  EXPECT_EQ(net.model.graphs[0].ops[0].kind, OpKind::slice);
  EXPECT_EQ(net.run(picture()), result_of(program, picture()));
}

TEST(WriteMoves, OtherMovesAreRefused) {
  Compiled net(DType::uint8, Shape{1, kWidth, kHeight, kMovedChannels});
  const ByteProgram turned = [](const std::vector<ByteSpan>& in) -> Result<std::vector<Bytes>> {
    Bytes out(in[0].size());
    for (size_t k = 0; k < out.size(); ++k) {
      const size_t place = k / kMovedChannels;
      out[(place % kWidth * kHeight + place / kWidth) * kMovedChannels + k % kMovedChannels] =
          in[0][k];
    }
    return std::vector<Bytes>{out};
  };
  const Status written = net.write(turned);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::decompile_layer);
  const ByteProgram constant = [](const std::vector<ByteSpan>&) -> Result<std::vector<Bytes>> {
    return std::vector<Bytes>{Bytes(kHeight * kWidth * kMovedChannels, std::byte{3})};
  };
  Compiled nothing(DType::uint8, Shape{1, kWidth, kHeight, kMovedChannels});
  EXPECT_FALSE(nothing.write(constant).ok());
  Compiled words(DType::int32, Shape{1, 2, kWidth, kMovedChannels});
  EXPECT_FALSE(words.write(turned).ok());
}

}  // namespace
}  // namespace edgetwin::edgetpu
