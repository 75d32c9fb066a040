#include "targets/edgetpu/machine/engines/host.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu::machine {
namespace {

using darwinn::BaseAddress;

constexpr uint32_t kIn = static_cast<uint32_t>(Tag::input);
constexpr uint32_t kOut = static_cast<uint32_t>(Tag::output);

darwinn::Meta meta(BaseAddress base, const std::string& name) {
  return {base, 0, name, darwinn::Position::low};
}

// An input of 8 bytes, an output of 8, and 16 bytes of scratch memory.
darwinn::Executable executable() {
  darwinn::Executable e;
  e.scratch_size = 16;
  e.inputs.emplace_back();
  e.inputs[0].name = "in";
  e.inputs[0].size_bytes = 8;
  e.outputs.emplace_back();
  e.outputs[0].name = "out";
  e.outputs[0].size_bytes = 8;
  darwinn::Bitstream b;
  for (const auto& m : {meta(BaseAddress::input, "in"), meta(BaseAddress::output, "out"),
                        meta(BaseAddress::scratch, "")}) {
    b.field_offsets.push_back({m, 0});
  }
  e.bitstreams.push_back(std::move(b));
  return e;
}

struct Asked {
  uint32_t tag;
  BaseAddress base;
  uint64_t offset;
  uint32_t length;
};

Result<HostPlan> plan(const std::vector<Asked>& asked) {
  const darwinn::Executable e = executable();
  const Buffers buffers(e);
  std::vector<Descriptor> transfers;
  for (const Asked& a : asked) {
    const char* name = a.base == BaseAddress::input    ? "in"
                       : a.base == BaseAddress::output ? "out"
                                                       : "";
    transfers.push_back({a.tag, *buffers.address(meta(a.base, name)) + a.offset, a.length, 0});
  }
  return plan_host(e, buffers, transfers);
}

Bytes counting(size_t n, int first) {
  Bytes b(n);
  for (size_t k = 0; k < n; ++k) b[k] = static_cast<std::byte>(first + static_cast<int>(k));
  return b;
}

TEST(EdgetpuMachineHost, ScratchMemoryGivesBackWhatWasSent) {
  const auto p = plan({{kIn, BaseAddress::input, 0, 8},
                       {kOut, BaseAddress::scratch, 8, 8},
                       {kOut, BaseAddress::scratch, 0, 8},
                       {kIn, BaseAddress::scratch, 4, 12},
                       {kOut, BaseAddress::output, 0, 8}});
  ASSERT_TRUE(p.ok()) << to_text(p.error());
  ASSERT_EQ(p->returned.size(), 2U);
  // Sent first, kept last; of the second one only its end comes back.
  EXPECT_EQ(p->returned[0].input, 1U);
  EXPECT_EQ(p->returned[0].sent, 0U);
  EXPECT_EQ(p->returned[0].at, 4U);
  EXPECT_EQ(p->returned[0].length, 8U);
  EXPECT_EQ(p->returned[1].sent, 12U);
  EXPECT_EQ(p->returned[1].at, 0U);
  EXPECT_EQ(p->returned[1].length, 4U);

  const Bytes in = counting(5, 1);
  const auto inputs = inputs_of(*p, {ByteSpan(in)});
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0][4], std::byte{5});
  EXPECT_EQ(inputs[0][5], std::byte{0});  // padding
  EXPECT_EQ(inputs[1], Bytes(12));

  // What went to the scratch memory is no output.
  const auto outputs = outputs_of(*p, executable(), counting(24, 0));
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  EXPECT_EQ((*outputs)[0], counting(8, 16));
}

TEST(EdgetpuMachineHost, WhatIsNoTransferIsRefused) {
  // Scratch memory that nothing was written to, in part; beyond its end; inputs that are written.
  const std::vector<std::vector<Asked>> all{
      {{kOut, BaseAddress::scratch, 0, 8}, {kIn, BaseAddress::scratch, 0, 16}},
      {{kOut, BaseAddress::scratch, 8, 16}},
      {{kOut, BaseAddress::input, 0, 8}}};
  for (const auto& asked : all) {
    const auto p = plan(asked);
    ASSERT_FALSE(p.ok());
    EXPECT_EQ(p.error().code, ErrorCode::chip_stream);
  }
  const auto p = plan({{kOut, BaseAddress::output, 0, 8}});
  ASSERT_TRUE(p.ok());
  EXPECT_FALSE(outputs_of(*p, executable(), Bytes(7)).ok());
  EXPECT_FALSE(outputs_of(*p, executable(), Bytes(9)).ok());
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
