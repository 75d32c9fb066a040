#include "targets/edgetpu/isa/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <bit>

#include "base/rng.h"
#include "targets/edgetpu/isa/programs.h"

namespace edgetwin::edgetpu {
namespace {

using ::testing::HasSubstr;

std::string line_of(const Assembly& a) {
  const Program p = parse(a.bytes());
  return p.instructions.empty() ? "" : to_text(p.instructions[0]);
}

Bytes assembled(const std::string& text) {
  const auto made = assemble(text, "t");
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : to_text(made.error()));
  return made.ok() && made->size() == 1 ? (*made)[0].data : Bytes();
}

TEST(EdgeTpuListing, FieldsAreWrittenInTheirForm) {
  EXPECT_EQ(line_of(Assembly(Opcode::scalar)), "scalar");
  EXPECT_EQ(line_of(Assembly(Opcode::branch).set("offset", static_cast<uint64_t>(-72))),
            "branch offset=-72");
  Assembly tensor(Opcode::tensor);
  tensor.set("loop", 8, 1).set("in.step", static_cast<uint64_t>(-4), 0);
  tensor.set("multiplier", std::bit_cast<uint32_t>(0.1F));
  tensor.set("upper", std::bit_cast<uint32_t>(126.00001F));
  tensor.set("lower", 0x7FC0'0001).set("tiles", 0x8001).set_bits(1924, 3, 5);
  EXPECT_EQ(line_of(tensor),
            "tensor tiles=0x8001 loop=[1,9] in.step=[-4] multiplier=0.1 upper=126.00001 "
            "lower=#7fc00001 ?1922:18=0x14");
}

TEST(EdgeTpuListing, ScalarWordsHaveTheNameOfTheirOperation) {
  Assembly a(Opcode::scalar);
  a.set("op", 15).set("immediate", 1).set("sx", 5).set("imm", 11).set("st", 6);
  EXPECT_EQ(line_of(a), "MOVI st=6 sx=5 imm=0xb");
  EXPECT_EQ(assembled("MOVI st=6 sx=5 imm=0xb"), a.bytes());
  EXPECT_EQ(assembled("movi st=6 sx=5 imm=0xb"), a.bytes());
  EXPECT_EQ(assembled("scalar op=15 immediate=1 st=6 sx=5 imm=0xb"), a.bytes());
  EXPECT_EQ(line_of(Assembly(Opcode::scalar).set("op", 3)), "AND");
  // Operations that are not known, and none, keep their numbers.
  EXPECT_EQ(line_of(Assembly(Opcode::scalar).set("op", 30)), "scalar op=30");
  EXPECT_EQ(line_of(Assembly(Opcode::scalar).set("immediate", 1)), "scalar immediate=1");
  for (const ScalarOpInfo& o : all_scalar_ops()) {
    for (const unsigned immediate : {0U, 1U}) {
      Assembly w(Opcode::scalar);
      w.set("op", static_cast<uint64_t>(o.op)).set("immediate", immediate);
      EXPECT_EQ(assembled(line_of(w)), w.bytes()) << line_of(w);
    }
  }
}

TEST(EdgeTpuListing, EveryFieldAndGapComesBack) {
  XorShift32 random(7);
  for (const OpcodeInfo& o : all_opcodes()) {
    for (int round = 0; round < 20; ++round) {
      Assembly a(o.opcode);
      for (size_t bit = 12; bit < static_cast<size_t>(o.words) * kWordBits; bit += 4) {
        if (random.next() % 4 == 0) a.set_bits(bit, 4, random.next());
      }
      EXPECT_EQ(assembled(line_of(a)), a.bytes()) << line_of(a);
    }
  }
}

TEST(EdgeTpuListing, BytesThatAreNoInstructionComeBack) {
  darwinn::Bitstream b;
  b.data = ProgramBuilder().finish();
  b.data.insert(b.data.end(), 21, std::byte{0x12});
  const std::string text = disassemble(b);
  EXPECT_THAT(text, HasSubstr(".bytes 1212121212"));
  EXPECT_EQ(assembled(text), b.data);
}

TEST(EdgeTpuListing, NamesStayInTheComment) {
  darwinn::Executable e = echo();
  for (darwinn::FieldOffset& f : e.bitstreams[0].field_offsets) f.meta.name = "a\nstart length=1";
  const std::string text = disassemble(file_of(e));
  EXPECT_THAT(text, HasSubstr("; driver: address of the input 'a?start length=1', low half"));
  EXPECT_EQ(assembled(text), e.bitstreams[0].data);
}

TEST(EdgeTpuListing, ExplainsTheScalarCore) {
  const std::string text = disassemble(file_of(echo()));
  EXPECT_THAT(text, HasSubstr("; s22 = 0x20\n"));
  EXPECT_THAT(text, HasSubstr("; length = s22\n"));
  EXPECT_THAT(text, HasSubstr("; issue the descriptor\n"));
  EXPECT_THAT(text, HasSubstr(".bitstream 0.0.0.0  ; STAND_ALONE, chunk 1 of 1, 33 words\n"));
}

std::string refusal(const std::string& text) {
  const auto made = assemble(text, "t.s");
  if (made.ok()) return "taken";
  EXPECT_EQ(made.error().code, ErrorCode::edgetpu_assembly);
  EXPECT_EQ(made.error().place.file, "t.s");
  return std::to_string(made.error().place.line.value_or(0)) + ": " + made.error().message;
}

TEST(EdgeTpuListing, MistakesAreNamedWithTheirLine) {
  EXPECT_EQ(refusal("start\nnonsense a=1"), "2: there is no instruction 'nonsense'");
  EXPECT_EQ(refusal("scalar nonsense=1"), "1: 'scalar' has no field 'nonsense'");
  EXPECT_EQ(refusal("scalar imm"), "1: 'imm' is not of the form name=value");
  EXPECT_EQ(refusal("scalar sx=32"), "1: sx: 32 does not fit into 5 bits");
  EXPECT_EQ(refusal("scalar sx=-1"), "1: sx: '-1' is no number");
  EXPECT_EQ(refusal("scalar sx=1 sx=1"), "1: 'sx' is given twice");
  EXPECT_EQ(refusal("MOVI op=1"), "1: 'op' is given twice");
  EXPECT_EQ(refusal("NONE sx=1"), "1: there is no instruction 'NONE'");
  EXPECT_EQ(refusal("branch offset=16384"), "1: offset: 16384 is not in -16384..16383");
  EXPECT_EQ(refusal("branch offset=-16384"), "taken");
  EXPECT_EQ(refusal("tensor multiplier=nan"), "1: multiplier: 'nan' is no number of 32 bits");
  EXPECT_EQ(refusal("tensor multiplier=inf"), "taken");
  EXPECT_EQ(refusal("tensor multiplier=#1ffffffff"),
            "1: multiplier: #1ffffffff does not fit into 32 bits");
  EXPECT_EQ(refusal("tensor loop=3"), "1: loop: a list is written [1,2,3]");
  EXPECT_EQ(refusal("tensor loop=[0]"), "1: loop: a count is at least 1");
  EXPECT_EQ(refusal("tensor loop=[16384]"), "taken");
  EXPECT_EQ(refusal("tensor loop=[16385]"), "1: loop: 16385 does not fit into 14 bits");
  EXPECT_EQ(refusal("tensor loop=[1,1,1,1,1,1,1,1,1]"), "1: loop has 8 elements");
  EXPECT_EQ(refusal("scalar ?31:1=1"), "taken");
  EXPECT_EQ(refusal("scalar ?30:2=1"), "1: bits 30 to 31 of 'scalar' have names, or do not exist");
  EXPECT_EQ(refusal("scalar ?31:1=2"), "1: 2 does not fit into 1 bits");
  EXPECT_EQ(refusal("scalar ?x=2"), "1: '?x' is not of the form ?bit:width=value");
  EXPECT_EQ(refusal(".bytes 123"), "1: an odd number of hexadecimal digits");
  EXPECT_EQ(refusal(".bytes 1g"), "1: '1g' is no byte");
  EXPECT_EQ(refusal(".bitstream 0.0.0"), "1: a bitstream is named by four numbers, like 0.0.1.0");
  EXPECT_EQ(refusal(".bitstream 0.0.0.0\n\n.bitstream 0.0.0.0"),
            "3: bitstream 0.0.0.0 is here already");
}

TEST(EdgeTpuListing, IntoAnExecutable) {
  const darwinn::Executable e = echo();
  const Bytes file = *darwinn::write_executable(e);
  const std::string text = disassemble(*darwinn::read(file, "e"));
  EXPECT_EQ(*assemble_into(text, "t", file, "e"), file);
  std::string longer = text;
  longer += "scalar\n";
  const auto grown = assemble_into(longer, "t", file, "e");
  ASSERT_FALSE(grown.ok());
  EXPECT_EQ(grown.error().message, "bitstream 0.0.0.0 is 544 bytes, its place in 'e' has 528");
  const auto unknown = assemble_into(".bitstream 1.0.0.0\nscalar", "t", file, "e");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::edgetpu_no_program);
  EXPECT_EQ(unknown.error().place.line, 1);
  std::string other = text;
  other.replace(other.find("imm=0x20"), 8, "imm=0x28");
  const auto changed = assemble_into(other, "t", file, "e");
  ASSERT_TRUE(changed.ok());
  size_t different = 0;
  for (size_t i = 0; i < file.size(); ++i) different += (*changed)[i] != file[i] ? 1U : 0U;
  EXPECT_EQ(different, 1U);
}

}  // namespace
}  // namespace edgetwin::edgetpu
