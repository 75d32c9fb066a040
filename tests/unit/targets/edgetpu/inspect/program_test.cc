// The scalar core, the checks and the comparison, on programs made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <bit>
#include <functional>

#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/inspect/program_diff.h"
#include "targets/edgetpu/isa/programs.h"
#include "targets/edgetpu/program/blocks.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu {
namespace {

using testing::ElementsAre;
using ::testing::HasSubstr;

// Register 9 after `op` on y and c, taken as immediate and from a register.
uint32_t result_of(ScalarOp op, uint32_t y, uint32_t c) {
  uint32_t results[2];
  for (const bool immediate : {false, true}) {
    ProgramBuilder b;
    b.op(ScalarOp::mov, 1, 0, y).op(ScalarOp::mov, 2, 0, c);
    b.op(op, 9, 1, immediate ? c : 2, immediate);
    ScalarCore core;
    EXPECT_TRUE(core.run(b.finish()).ok());
    results[immediate ? 1 : 0] = core.reg(9);
  }
  EXPECT_EQ(results[0], results[1]);
  return results[0];
}

bool predicate_of(ScalarOp op, uint32_t y, uint32_t c) {
  ProgramBuilder b;
  b.op(ScalarOp::mov, 1, 0, y).op(op, 1, 1, c);
  ScalarCore core;
  EXPECT_TRUE(core.run(b.finish()).ok());
  return core.predicate(1);
}

uint32_t f(float value) { return std::bit_cast<uint32_t>(value); }

TEST(EdgeTpuScalar, Arithmetic) {
  EXPECT_EQ(result_of(ScalarOp::add, 0xFFFF'FFFF, 2), 1U);
  EXPECT_EQ(result_of(ScalarOp::sub, 1, 2), 0xFFFF'FFFFU);
  EXPECT_EQ(result_of(ScalarOp::and_, 12, 10), 8U);
  EXPECT_EQ(result_of(ScalarOp::or_, 12, 10), 14U);
  EXPECT_EQ(result_of(ScalarOp::xor_, 12, 10), 6U);
  EXPECT_EQ(result_of(ScalarOp::shl, 3, 31), 0x8000'0000U);
  EXPECT_EQ(result_of(ScalarOp::shr, 0x8000'0000, 31), 1U);
  EXPECT_EQ(result_of(ScalarOp::asr, 0x8000'0000, 31), 0xFFFF'FFFFU);
  EXPECT_EQ(result_of(ScalarOp::mov, 5, 7), 7U);
  EXPECT_EQ(result_of(ScalarOp::i2f, 0, static_cast<uint32_t>(-3)), f(-3.0F));
  EXPECT_EQ(result_of(ScalarOp::f2i, 0, f(2.5F)), 2U);
  EXPECT_EQ(result_of(ScalarOp::f2i, 0, f(-3.5F)), static_cast<uint32_t>(-4));
  EXPECT_EQ(result_of(ScalarOp::f2i, 0, f(1e20F)), 0x7FFF'FFFFU);
  EXPECT_EQ(result_of(ScalarOp::f2i, 0, 0x7FC0'0000), 0U);
  EXPECT_EQ(result_of(ScalarOp::fadd, f(1.5F), f(2.0F)), f(3.5F));
  EXPECT_EQ(result_of(ScalarOp::fsub, f(1.5F), f(2.0F)), f(-0.5F));
  EXPECT_EQ(result_of(ScalarOp::fmul, f(1.5F), f(2.0F)), f(3.0F));
  EXPECT_EQ(result_of(ScalarOp::fmax, f(1.5F), f(2.0F)), f(2.0F));
  EXPECT_EQ(result_of(ScalarOp::fmin, f(1.5F), f(2.0F)), f(1.5F));
}

TEST(EdgeTpuScalar, Comparisons) {
  const uint32_t minus = 0xFFFF'FFFF;
  EXPECT_TRUE(predicate_of(ScalarOp::lt, minus, 0));  // signed
  EXPECT_FALSE(predicate_of(ScalarOp::lt, 0, minus));
  EXPECT_FALSE(predicate_of(ScalarOp::lt, 3, 3));
  EXPECT_TRUE(predicate_of(ScalarOp::ge, 3, 3));
  EXPECT_FALSE(predicate_of(ScalarOp::ge, minus, 0));
  EXPECT_TRUE(predicate_of(ScalarOp::geu, minus, 0));
  EXPECT_TRUE(predicate_of(ScalarOp::gt, 0, minus));
  EXPECT_TRUE(predicate_of(ScalarOp::eq, 5, 5));
  EXPECT_TRUE(predicate_of(ScalarOp::ne, 5, 6));
}

TEST(EdgeTpuScalar, LoopsBranchesPredicatesAndMemory) {
  ProgramBuilder b;
  b.op(ScalarOp::mov, 1, 0, 100);
  b.add(Assembly(Opcode::loop).set("count", 5).set("body", 2));
  b.op(ScalarOp::add, 2, 2, 3);
  // mem[s1] = s2, s1 += 1
  b.add(Assembly(Opcode::scalar).set("st", 3).set("staddr", 1U | 1U << 5U).set("streg", 2));
  // A loop of branches: s3 counts to 4.
  const size_t top = b.words();
  b.op(ScalarOp::add, 3, 3, 1).op(ScalarOp::lt, 0, 3, 4);
  const size_t at = b.words();
  b.add(Assembly(Opcode::branch).set("conditional", 1).set("pv", 1).set("offset", top - at));
  // s4 = mem[101] by an absolute address; if p0 (it is false): s5 = 1.
  b.add(Assembly(Opcode::scalar).set("ld", 1).set("ldreg", 4).set("ldaddr", 101));
  b.add(Assembly(Opcode::scalar)
            .set("pg", 1)
            .set("pv", 1)
            .set("op", 15)
            .set("immediate", 1)
            .set("sx", 5)
            .set("imm", 1));
  ScalarCore core;
  ASSERT_TRUE(core.run(b.finish()).ok());
  EXPECT_EQ(core.reg(2), 15U);
  EXPECT_EQ(core.reg(1), 105U);
  EXPECT_EQ(core.memory(100), 3U);
  EXPECT_EQ(core.memory(104), 15U);
  EXPECT_EQ(core.reg(3), 4U);
  EXPECT_EQ(core.reg(4), 6U);
  EXPECT_EQ(core.reg(5), 0U);
}

TEST(EdgeTpuScalar, WhatNeverEndsIsAnError) {
  ProgramBuilder forever;
  forever.add(Assembly(Opcode::branch).set("offset", 0));
  ScalarLimits limits;
  limits.steps = 1000;
  ScalarCore core(limits);
  Status status = core.run(forever.finish());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::edgetpu_endless);
  ProgramBuilder away;
  away.add(Assembly(Opcode::branch).set("offset", static_cast<uint64_t>(-9)));
  status = ScalarCore().run(away.finish());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::edgetpu_instruction);
  EXPECT_FALSE(ScalarCore().run(ByteSpan()).ok());
}

TEST(EdgeTpuTransfers, AsAnnounced) {
  const darwinn::Executable e = echo();
  const auto checked = check_transfers(e);
  ASSERT_TRUE(checked.ok()) << to_text(checked.error());
  EXPECT_EQ(checked->agreement, Agreement::equal);
  ASSERT_EQ(checked->issued.size(), 3U);
  EXPECT_EQ(checked->issued[1].length, 16U);
  darwinn::Executable other = e;
  other.dma_hints->hints[2].size = 24;
  const auto different = check_transfers(other);
  ASSERT_TRUE(different.ok());
  EXPECT_EQ(different->agreement, Agreement::different);
  EXPECT_THAT(different->first_difference,
              HasSubstr("transfer 1: issued output of 16 bytes, output 'out' + 0"));
  EXPECT_THAT(different->first_difference, HasSubstr("announced output of 24 bytes"));
}

TEST(EdgeTpuTransfers, PiecesOfOneTransferAreJoined) {
  darwinn::Executable e = echo();
  darwinn::DmaHint half = e.dma_hints->hints[1];
  half.size = 20;
  darwinn::DmaHint rest = half;
  rest.offset = 20;
  rest.size = 12;
  e.dma_hints->hints[1] = half;
  e.dma_hints->hints.insert(e.dma_hints->hints.begin() + 2, rest);
  const auto checked = check_transfers(e);
  ASSERT_TRUE(checked.ok());
  EXPECT_EQ(checked->agreement, Agreement::joined);
}

std::vector<std::string> ids(const darwinn::Executable& e) {
  std::vector<std::string> result;
  for (const Finding& found : check(file_of(e)).findings) result.push_back(found.id);
  return result;
}

TEST(EdgeTpuCheck, ASoundProgramHasNoFindings) { EXPECT_THAT(ids(echo()), ElementsAre()); }

TEST(EdgeTpuCheck, EveryRuleFindsItsMistake) {
  const auto broken = [](const std::function<void(darwinn::Executable&)>& change) {
    darwinn::Executable e = echo();
    change(e);
    return ids(e);
  };
  const auto inserted = [&](const Assembly& a) {
    return broken([&](darwinn::Executable& e) {
      Bytes& d = e.bitstreams[0].data;  // before HALT
      d.insert(d.end() - 6 * 16, a.bytes().begin(), a.bytes().end());
      set_bits(d, 19, 32, (d.size() / 16 - 2) * 128);
    });
  };
  EXPECT_THAT(inserted(Assembly(Opcode::tile_sync)), ElementsAre());
  EXPECT_THAT(inserted(Assembly(Opcode::branch).set("mode", 2).set("offset", 1)), ElementsAre());
  EXPECT_THAT(inserted(Assembly(Opcode::branch)
                           .set("mode", 2)
                           .set("conditional", 1)
                           .set("pv", 1)
                           .set("offset", 400)),
              ElementsAre("TPU-PRG-04"));
  EXPECT_THAT(inserted(Assembly(Opcode::loop).set("count", 1).set("body", 1)),
              ElementsAre("TPU-PRG-05"));
  EXPECT_THAT(inserted(Assembly(Opcode::tile_sync).set_bits(3, 1, 1)), ElementsAre("TPU-PRG-06"));
  Assembly nest(Opcode::tensor);
  for (const size_t bit : {1844U, 1934U, 1940U}) nest.set_bits(bit, 1, 1);
  nest.set("kind", 0x38).set("loop", 7).set("loop", 2, 1);
  nest.set("in.count", 23)
      .set("weight.count", 11)
      .set("weight.count", 1, 3)
      .set("acc.count", 23, 7);
  EXPECT_THAT(inserted(nest), ElementsAre());
  nest.set("weight.count", 12);
  EXPECT_THAT(inserted(nest), ElementsAre("TPU-PRG-14"));
  EXPECT_THAT(inserted(Assembly(nest).set("last", 1)), ElementsAre());
  EXPECT_THAT(inserted(Assembly(Opcode::scalar).set("op", 25)), ElementsAre("TPU-PRG-07"));
  EXPECT_THAT(inserted(Assembly(Opcode::scalar).set("st", 9)), ElementsAre("TPU-PRG-07"));
  EXPECT_THAT(inserted(Assembly(Opcode::branch).set("mode", 2).set("offset", 0)),
              ElementsAre("TPU-PRG-09"));
  EXPECT_THAT(inserted(Assembly(Opcode::scalar).set("st", 6)), ElementsAre("TPU-PRG-10"));
  EXPECT_THAT(inserted(Assembly(Opcode::branch).set("offset", 1)), ElementsAre("TPU-PRG-13"));
  EXPECT_THAT(inserted(Assembly(Opcode::end).set("length", 128)), ElementsAre("TPU-PRG-03"));
  EXPECT_THAT(broken([](auto& e) { set_bits(e.bitstreams[0].data, 19, 32, 5); }),
              ElementsAre("TPU-PRG-02"));
  EXPECT_THAT(broken([](auto& e) {
                e.bitstreams[0].data[5 * 16] = std::byte{0},
                                         e.bitstreams[0].data[5 * 16 + 1] = std::byte{0};
              }),
              ElementsAre("TPU-PRG-01"));
  EXPECT_THAT(broken([](auto& e) { e.bitstreams[0].field_offsets[0].offset_bit += 1; }),
              testing::Contains("TPU-PRG-08"));
  EXPECT_THAT(broken([](auto& e) { e.dma_hints->fully_deterministic = false; }),
              ElementsAre("TPU-PRG-11"));
  EXPECT_THAT(broken([](auto& e) { e.dma_hints->hints[1].size = 40; }),
              ElementsAre("TPU-PRG-12", "TPU-PRG-10"));
  EXPECT_THAT(broken([](auto& e) { e.inputs[0].z_dim = 24; }), ElementsAre("TPU-LAY-01"));
  EXPECT_THAT(broken([](auto& e) { e.outputs[0].x_dim = 2, e.outputs[0].z_dim = 8; }),
              ElementsAre("TPU-LAY-02"));
  EXPECT_THAT(broken([](auto& e) { e.batch_size = 2; }), ElementsAre("TPU-PKG-03"));
}

TEST(EdgeTpuCheck, TokensAndRuntimeOfAPackage) {
  darwinn::File file = file_of(echo());
  darwinn::Package& p = file.ops[0].packages[0];
  p.min_runtime_version = 15;
  p.executables.push_back(echo());
  p.executables[1].parameter_caching_token = 1;
  std::vector<std::string> found;
  for (const Finding& f_ : check(file).findings) found.push_back(f_.id);
  EXPECT_THAT(found, ElementsAre("TPU-PKG-01", "TPU-PKG-02"));
}

TEST(EdgeTpuRules, TitlesAndTextsAreSentences) {
  for (const RuleInfo& r : all_rules()) {
    EXPECT_TRUE(r.title.ends_with('.') && r.text.ends_with('.')) << r.id;
  }
  EXPECT_EQ(info(Rule::batch).id, "TPU-PKG-03");
}

TEST(EdgeTpuDiff, AlignsAndNamesFields) {
  darwinn::Bitstream a;
  a.data = ProgramBuilder()
               .op(ScalarOp::mov, 1, 0, 5)
               .add(Assembly(Opcode::tile_sync).set("tiles", 3))
               .op(ScalarOp::add, 2, 1, 6)
               .finish();
  darwinn::Bitstream b;
  b.data = ProgramBuilder()
               .op(ScalarOp::mov, 1, 0, 5)
               .add(Assembly(Opcode::infeed))
               .add(Assembly(Opcode::tile_sync).set("tiles", 3).set_bits(41, 2, 3))
               .op(ScalarOp::add, 2, 1, 7)
               .finish();
  const ProgramDiff d = compare(a, b);
  EXPECT_TRUE(d.aligned);
  ASSERT_EQ(d.changes.size(), 4U);
  EXPECT_EQ(d.changes[0].name, "start");
  EXPECT_EQ(d.changes[1].change, Change::only_b);
  EXPECT_EQ(d.changes[1].name, "infeed");
  EXPECT_EQ(d.changes[2].word_a, 2U);
  EXPECT_EQ(d.changes[2].word_b, 4U);
  ASSERT_EQ(d.changes[2].fields.size(), 1U);
  EXPECT_EQ(d.changes[2].fields[0].field, "?41:2");
  EXPECT_EQ(d.changes[3].fields[0].field, "imm");
  EXPECT_EQ(d.changes[3].fields[0].a, "0x6");
  EXPECT_EQ(d.changes[3].fields[0].b, "0x7");
  EXPECT_EQ(d.equal, d.instructions_a - 3);
  EXPECT_TRUE(compare(a, a).changes.empty());
}

TEST(EdgeTpuDiff, AddressFieldsDoNotCount) {
  darwinn::Executable a = echo();
  darwinn::Executable b = a;
  set_bits(b.bitstreams[0].data, 128 + 70, 32, 0x1234);
  EXPECT_TRUE(compare(a.bitstreams[0], b.bitstreams[0]).changes.empty());
  b.bitstreams[0].field_offsets.erase(b.bitstreams[0].field_offsets.begin());
  EXPECT_EQ(compare(a.bitstreams[0], b.bitstreams[0]).changes.size(), 1U);
  EXPECT_TRUE(compare(file_of(a), file_of(a)).lines.empty());
  b = a;
  b.parameters = Bytes(3);
  b.outputs[0].name = "other";
  EXPECT_THAT(
      compare(file_of(a), file_of(b)).lines,
      ElementsAre("0.0.0: parameter bytes 0 and 3", "0.0.0: output 0 name 'out' and 'other'"));
}

TEST(EdgeTpuBlocks, OffsetsSizesAndReceivers) {
  darwinn::Executable e;
  e.type = darwinn::ExecutableType::parameter_caching;
  e.parameters = Bytes(200'000);
  ProgramBuilder b;
  const uint64_t offsets[] = {0, 640, 131'072 + 128};
  for (size_t i = 0; i < 3; ++i) {
    b.add(Assembly(Opcode::ring_receive).set("tiles", 1U << i).set("a.start", 10 * i + 5));
  }
  for (size_t i = 3; i-- > 0;) {
    b.add(Assembly(Opcode::param)
              .set("a.start", offsets[i] / 64 % 2048)
              .set("wait.start", offsets[i] / 64 + 1)
              .set("tiles", 1U << i));
  }
  b.add(
      Assembly(Opcode::param).set("a.start", 7).set("wait.start", 40).set("tiles", 1));  // disagree
  e.bitstreams.push_back({b.finish(), {}, {}});
  const auto blocks = parameter_blocks(e);
  ASSERT_EQ(blocks.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(blocks[i].offset, offsets[i]);
    EXPECT_EQ(blocks[i].tiles, 1U << i);
    EXPECT_EQ(blocks[i].address, static_cast<int64_t>(10 * i + 5));
    EXPECT_EQ(blocks[i].size, (i == 2 ? 200'000 : offsets[i + 1]) - offsets[i]);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu
