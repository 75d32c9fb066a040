#include "targets/edgetpu/machine/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "formats/darwinn/relayout.h"
#include "numerics/edgetpu/softmax.h"
#include "targets/edgetpu/params/block.h"
#include "targets/edgetpu/synthesize/synthesize.h"
#include "unit/targets/edgetpu/isa/programs.h"

namespace edgetwin::edgetpu::machine {
namespace {

// A program that no compiler has made, with numbers that nobody has chosen.
struct Made {
  Member member;
  BlockShape shape;
  BlockContent content;
  darwinn::Package package;
};

uint8_t byte_of(XorShift32& rng) { return rng.byte(); }

Made make(const Member& member, int inputs, int outputs, int kernel, uint32_t seed) {
  Made m{member, {}, {}, {}};
  m.shape = {BlockKind::dense, outputs, inputs, kernel, kernel,
             kernel > 1,       true,    false,  true,   LineOrder::input_outer};
  XorShift32 rng(seed);
  m.content.weights.resize(static_cast<size_t>(m.shape.weights()));
  for (std::byte& w : m.content.weights) w = static_cast<std::byte>(byte_of(rng));
  for (int o = 0; o < outputs; ++o) {
    m.content.scales.push_back(0.0002F + 0.000001F * static_cast<float>(byte_of(rng)));
    m.content.zero_points.push_back(128);
  }
  const auto model = model_of(member);
  EXPECT_TRUE(model.ok());
  auto made = synthesize(*model);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  m.package = std::move(made->package);
  m.package.executables[1].parameters = write_block(m.shape, m.content);
  return m;
}

Member dense(int size) {
  Member m;
  m.family = Family::dense;
  m.size = size;
  m.input_zero_point = 127;
  m.output_zero_point = 129;
  m.output_scale = 0.02F;
  return m;
}

// The layer in plain loops, on bytes as the chip has them.
uint8_t plain(const Made& m, const Bytes& x, int height, int width, int y0, int x0, int o) {
  const int k = m.shape.kernel_h;
  int32_t sum = 0;
  for (int ky = 0; ky < k; ++ky) {
    for (int kx = 0; kx < k; ++kx) {
      const int y = y0 + ky - k / 2;
      const int c = x0 + kx - k / 2;
      if (y < 0 || c < 0 || y >= height || c >= width) continue;
      for (int i = 0; i < m.shape.in; ++i) {
        const auto a = static_cast<size_t>((y * width + c) * m.shape.in + i);
        const auto w = static_cast<size_t>(((o * k + ky) * k + kx) * m.shape.in + i);
        sum += (static_cast<int32_t>(x[a]) - m.member.input_zero_point) *
               (static_cast<int32_t>(m.content.weights[w]) - 128);
      }
    }
  }
  const auto z = static_cast<float>(m.member.output_zero_point);
  float f = static_cast<float>(sum) * m.content.scales[static_cast<size_t>(o)];
  f = std::min(std::max(f, -z), 255.0F - z);
  const auto v = static_cast<int32_t>(std::nearbyint(f)) + m.member.output_zero_point;
  return static_cast<uint8_t>(std::clamp(v, 0, 255));
}

Bytes random_bytes(size_t n, uint32_t seed) {
  XorShift32 rng(seed);
  Bytes x(n);
  for (std::byte& b : x) b = static_cast<std::byte>(byte_of(rng));
  return x;
}

// The chip's bytes as [y][x][z], without sign flips.
Result<Bytes> run(const Made& m, const Bytes& x) {
  EDGETWIN_TRY_ASSIGN(Machine machine, Machine::make(m.package));
  EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> out, machine.run({ByteSpan(x)}));
  const darwinn::Layer& layer = machine.executable().outputs[0];
  EDGETWIN_TRY_ASSIGN(const darwinn::Relayout relayout, darwinn::Relayout::make(layer));
  Bytes dense_out(relayout.dense_bytes());
  relayout.to_dense(out[0], dense_out);
  return dense_out;
}

TEST(EdgetpuMachine, SynthesizedDenseEqualsPlainLoops) {
  for (int size = 256; size <= 1024; size += 64) {
    const Made m = make(dense(size), size, size, 1, 7);
    const Bytes x = random_bytes(static_cast<size_t>(size), 8);
    const auto out = run(m, x);
    ASSERT_TRUE(out.ok()) << to_text(out.error());
    for (int o = 0; o < size; ++o) {
      ASSERT_EQ(static_cast<uint8_t>((*out)[static_cast<size_t>(o)]), plain(m, x, 1, 1, 0, 0, o))
          << size << " output " << o;
    }
  }
}

TEST(EdgetpuMachine, SynthesizedConvolutionEqualsPlainLoops) {
  Member member;
  member.family = Family::conv3x3;
  member.height = 8;
  member.width = 72;
  member.channels = 64;
  member.input_zero_point = 120;
  member.output_zero_point = 130;
  member.output_scale = 0.3F;
  const Made m = make(member, 64, 64, 3, 9);
  const Bytes x = random_bytes(static_cast<size_t>(member.input_bytes()), 10);
  const auto out = run(m, x);
  ASSERT_TRUE(out.ok()) << to_text(out.error());
  for (int y = 0; y < 8; ++y) {
    for (int c = 0; c < 72; c += 5) {
      for (int o = 0; o < 64; ++o) {
        ASSERT_EQ(static_cast<uint8_t>((*out)[static_cast<size_t>((y * 72 + c) * 64 + o)]),
                  plain(m, x, 8, 72, y, c, o))
            << y << " " << c << " " << o;
      }
    }
  }
}

// Rows of iterations side by side give what the iterations give one after the other.
TEST(EdgetpuMachine, RowsGiveWhatTheirIterationsGive) {
  Member conv;
  conv.family = Family::conv3x3;
  conv.height = 12;
  conv.width = 40;
  conv.channels = 32;
  conv.input_zero_point = 3;
  conv.output_scale = 0.2F;
  for (const Made& m : {make(dense(320), 320, 320, 1, 3), make(conv, 32, 32, 3, 4)}) {
    const Bytes x = random_bytes(static_cast<size_t>(m.member.input_bytes()), 5);
    auto plain = Machine::make(m.package, {}, true);
    auto rows = Machine::make(m.package);
    ASSERT_TRUE(plain.ok() && rows.ok());
    const auto expected = plain->run({ByteSpan(x)});
    const auto got = rows->run({ByteSpan(x)});
    ASSERT_TRUE(expected.ok() && got.ok());
    EXPECT_EQ(*got, *expected);
    EXPECT_EQ(rows->report().places, plain->report().places);
  }
}

// ---- softmax in the scalar core

Assembly word(ScalarOp op, unsigned x, unsigned y, uint32_t imm, bool immediate = true) {
  Assembly a(Opcode::scalar);
  return a.set("op", static_cast<uint64_t>(op))
      .set("sx", x)
      .set("sy", y)
      .set("imm", imm)
      .set("immediate", immediate ? 1 : 0);
}
Assembly real_word(ScalarOp op, unsigned x, unsigned y, float value) {
  return word(op, x, y, std::bit_cast<uint32_t>(value));
}
Assembly function(unsigned fn, unsigned x) {
  return Assembly(Opcode::scalar).set("fn", fn).set("fa", x).set("fb", x);
}

// Softmax of `n` bytes at the beginning of the core's memory, in the order of the older compiler's
// programs: largest value, sum of powers, each power by the sum; words of four results leave.
class SoftmaxCode {
 public:
  SoftmaxCode(int n, int zero, float scale) : zero_(static_cast<uint32_t>(zero)), scale_(scale) {
    add(real_word(ScalarOp::mov, kMost, 0, -std::numeric_limits<float>::infinity()));
    for (int k = 0; k < n; ++k) {
      value(k);
      add(word(ScalarOp::fmax, kMost, kMost, kValue, false));
    }
    add(word(ScalarOp::mov, kSum, 0, 0));
    for (int k = 0; k < n; ++k) {
      power(k);
      add(word(ScalarOp::fadd, kSum, kSum, kValue, false));
    }
    add(function(kFnReciprocal, kSum));
    for (int k = 0; k < n; ++k) result(k);
  }
  Bytes code;

 private:
  static constexpr unsigned kValue = 20, kMost = 21, kSum = 22, kWord = 23;
  void add(const Assembly& a) { code.insert(code.end(), a.bytes().begin(), a.bytes().end()); }
  void value(int k) {
    const auto n = static_cast<uint32_t>(k);
    add(Assembly(Opcode::scalar).set("ld", 1).set("ldreg", kValue).set("ldaddr", n / 4));
    add(word(ScalarOp::shr, kValue, kValue, n % 4 * 8));
    add(word(ScalarOp::and_, kValue, kValue, 255));
    add(word(ScalarOp::sub, kValue, kValue, zero_));
    add(word(ScalarOp::i2f, kValue, 0, kValue, false));
    add(real_word(ScalarOp::fmul, kValue, kValue, scale_));
  }
  void power(int k) {
    value(k);
    add(word(ScalarOp::fsub, kValue, kValue, kMost, false));
    add(real_word(ScalarOp::fmul, kValue, kValue, 1.44269502F));
    add(function(kFnExp2, kValue));
  }
  void result(int k) {
    power(k);
    add(word(ScalarOp::fmul, kValue, kValue, kSum, false));
    add(real_word(ScalarOp::fmul, kValue, kValue, 256.0F));
    add(real_word(ScalarOp::fmin, kValue, kValue, 255.0F));
    add(real_word(ScalarOp::fmax, kValue, kValue, 0.0F));
    add(word(ScalarOp::f2i, kValue, 0, kValue, false));
    if (k % 4 == 0) add(word(ScalarOp::mov, kWord, 0, 0));
    add(word(ScalarOp::shl, kValue, kValue, static_cast<uint32_t>(k) % 4 * 8));
    add(word(ScalarOp::or_, kWord, kWord, kValue, false));
    if (k % 4 == 3) add(Assembly(Opcode::scalar).set("st", kStoreStream).set("streg", kWord));
  }
  uint32_t zero_;
  float scale_;
};

// What outfeeds take goes into the core's memory, and `code` stands after the last of them.
void into_memory(darwinn::Executable& e, const Bytes& code) {
  darwinn::Bitstream& b = e.bitstreams[0];
  uint64_t to = 0;
  size_t end = 0;
  for (const Instruction& i : parse(b.data).instructions) {
    if (i.opcode() == Opcode::ring_send) end = i.word * kWordBytes + i.bytes.size();
    if (i.opcode() != Opcode::outfeed) continue;
    const uint64_t words = (i.get("a.count") + 1) * 2;
    set_field(b, i, "stream", 0);
    set_field(b, i, "host", 0);
    set_field(b, i, "a.count", words - 1);
    set_field(b, i, "a.start", to);
    to += words;
  }
  replace_bytes(b, end, 0, code);
}

TEST(EdgetpuMachine, SoftmaxInTheScalarCoreEqualsTheTwinsRule) {
  constexpr int kSize = 256;
  Made m = make(dense(kSize), kSize, kSize, 1, 7);
  const Bytes x = random_bytes(kSize, 8);
  constexpr float kScale = 0.02F;
  constexpr int kZero = 129;
  for (darwinn::Executable& e : m.package.executables) {
    if (e.type == darwinn::ExecutableType::execution_only) {
      into_memory(e, SoftmaxCode(kSize, kZero, kScale).code);
    }
  }
  std::array<uint8_t, kSize> before{};
  for (int o = 0; o < kSize; ++o) {
    before[static_cast<size_t>(o)] = plain(m, x, 1, 1, 0, 0, o);
  }
  numerics::SoftmaxSpec spec;
  spec.in = Quant::affine(kScale, kZero);
  spec.out = Quant::affine(1.0F / 256, 0);
  spec.edgetpu.softmax = numerics::EdgetpuSoftmax::scalar;
  const auto rule = numerics::edgetpu::Softmax<uint8_t>::make(spec);
  ASSERT_TRUE(rule.ok());
  std::array<uint8_t, kSize> expected{};
  rule->row(before.data(), kSize, expected.data());
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 3);

  auto machine = Machine::make(m.package);
  ASSERT_TRUE(machine.ok());
  const auto out = machine->run({ByteSpan(x)});
  ASSERT_TRUE(out.ok()) << to_text(out.error());
  ASSERT_EQ((*out)[0].size(), expected.size());
  for (size_t o = 0; o < expected.size(); ++o) {
    ASSERT_EQ(static_cast<uint8_t>((*out)[0][o]), expected[o]) << o;
  }
  EXPECT_EQ(machine->report().real_functions, 2U * kSize + 1);
}

// ---- damaged programs
// ----------------------------------------------------------------------------

// The first instruction of a kind in the program of inferences, with bits changed.
Made damaged(Opcode opcode, size_t bit, unsigned width, uint64_t value) {
  Made m = make(dense(256), 256, 256, 1, 7);
  for (darwinn::Executable& e : m.package.executables) {
    if (e.type != darwinn::ExecutableType::execution_only) continue;
    Bytes& data = e.bitstreams[0].data;
    for (const Instruction& i : parse(data).instructions) {
      if (i.opcode() != opcode) continue;
      set_bits(std::span(data).subspan(i.word * kWordBytes), bit, width, value);
      break;
    }
  }
  return m;
}

ErrorCode code_of(const Made& m) {
  const auto out = run(m, random_bytes(256, 1));
  return out.ok() ? ErrorCode::internal : out.error().code;
}

TEST(EdgetpuMachine, MasksWithoutTiles) {
  EXPECT_EQ(code_of(damaged(Opcode::tensor, 12, 16, 0)), ErrorCode::chip_tiles);
  EXPECT_EQ(code_of(damaged(Opcode::ring_send, 12, 16, 3)), ErrorCode::chip_tiles);
}

TEST(EdgetpuMachine, AddressesOutsideOfMemory) {
  EXPECT_EQ(code_of(damaged(Opcode::tensor, 191, 18, 196'608)), ErrorCode::chip_address);
  EXPECT_EQ(code_of(damaged(Opcode::tensor, 574, 18, 196'607)), ErrorCode::chip_address);
  EXPECT_EQ(code_of(damaged(Opcode::narrow_to_wide, 62, 16, 49'150)), ErrorCode::chip_address);
}

TEST(EdgetpuMachine, LoopsThatRunAway) {
  Made m = damaged(Opcode::tensor, 228 + 37, 18, 0x3FFFF);
  for (darwinn::Executable& e : m.package.executables) {
    if (e.type != darwinn::ExecutableType::execution_only) continue;
    Bytes& data = e.bitstreams[0].data;
    for (const Instruction& i : parse(data).instructions) {
      if (i.opcode() != Opcode::tensor) continue;
      set_bits(std::span(data).subspan(i.word * kWordBytes), 228 + 74, 18, 0x3FFFF);
      break;
    }
  }
  EXPECT_EQ(code_of(m), ErrorCode::chip_limit);
}

// The last word of the scalar core leads back to the product, without a condition: the limit names
// an instruction.
TEST(EdgetpuMachine, LoopsOverTileEnginesEnd) {
  Made m = make(dense(256), 256, 256, 1, 7);
  for (darwinn::Executable& e : m.package.executables) {
    if (e.type != darwinn::ExecutableType::execution_only) continue;
    Bytes& data = e.bitstreams[0].data;
    size_t product = 0;
    size_t last = 0;
    for (const Instruction& i : parse(data).instructions) {
      if (i.opcode() == Opcode::halt) break;
      if (i.opcode() == Opcode::tensor) product = i.word;
      if (i.opcode() == Opcode::scalar) last = i.word;
    }
    ASSERT_LT(product, last);
    const Assembly back =
        Assembly(Opcode::branch).set("offset", (0x8000U - (last - product)) & 0x7FFFU);
    std::ranges::copy(back.bytes(), data.begin() + static_cast<long>(last * kWordBytes));
  }
  const auto out = run(m, random_bytes(256, 1));
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, ErrorCode::chip_limit);
  const std::string text = to_text(out.error());
  EXPECT_NE(text.find("repeats instructions of the tile engines"), std::string::npos) << text;
  EXPECT_NE(text.find("instruction "), std::string::npos) << text;
}

TEST(EdgetpuMachine, TransfersThatDoNotFit) {
  // More than the input has; nobody who sends; a receiver that nothing reaches.
  EXPECT_EQ(code_of(damaged(Opcode::param, 320, 16, 0xFFFF)), ErrorCode::chip_stream);
  EXPECT_EQ(code_of(damaged(Opcode::outfeed, 43, 15, 0x7FFF)), ErrorCode::chip_stream);
  EXPECT_EQ(code_of(damaged(Opcode::param, 409, 16, 0)), ErrorCode::chip_stream);
}

TEST(EdgetpuMachine, ParametersThatAreMissing) {
  Made m = make(dense(256), 256, 256, 1, 7);
  for (darwinn::Executable& e : m.package.executables) {
    if (e.type == darwinn::ExecutableType::parameter_caching) e.parameters.resize(1024);
  }
  const auto machine = Machine::make(m.package);
  ASSERT_FALSE(machine.ok());
  EXPECT_EQ(machine.error().code, ErrorCode::chip_stream);
}

TEST(EdgetpuMachine, LimitsHold) {
  const Made m = make(dense(256), 256, 256, 1, 7);
  MachineLimits limits;
  limits.places = 300;
  const auto machine = Machine::make(m.package, limits);
  if (!machine.ok()) {
    EXPECT_EQ(machine.error().code, ErrorCode::chip_limit);
    return;
  }
  Machine small = std::move(Machine::make(m.package, limits)).value();
  const Bytes x = random_bytes(256, 1);
  const auto out = small.run({ByteSpan(x)});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, ErrorCode::chip_limit);
}

TEST(EdgetpuMachine, RunsAgainWithTheSameResult) {
  const Made m = make(dense(256), 256, 256, 1, 7);
  auto machine = Machine::make(m.package);
  ASSERT_TRUE(machine.ok());
  const Bytes x = random_bytes(256, 1);
  const auto first = machine->run({ByteSpan(x)});
  const auto second = machine->run({ByteSpan(x)});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(*first == *second);
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
