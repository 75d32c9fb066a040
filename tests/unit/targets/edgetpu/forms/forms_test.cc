#include "targets/edgetpu/forms/forms.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu::forms {
namespace {

Instruction made(const Assembly& a, Opcode opcode) {
  return {&edgetpu::info(opcode), 0, a.bytes()};
}

TEST(EdgetpuForms, TheTableHasEveryRowUnderItsCoarseForm) {
  EXPECT_EQ(all_forms().size(), 2553U);
  for (const KnownForm& f : all_forms()) {
    EXPECT_FALSE(f.opcode.empty());
    EXPECT_NE(find_opcode(f.opcode), nullptr) << f.opcode;
    EXPECT_GT(f.count, 0U);
  }
}

TEST(EdgetpuForms, AFormHasNoNumbers) {
  Assembly send(Opcode::ring_send);
  send.set("tiles", 0x0010).set("destination", 0xFFFF).set("a.start", 2000);
  send.set("a.levels", 1).set("a.step", 1).set("a.count", 8).set("second", 1);
  const Form form = form_of(made(send, Opcode::ring_send));
  EXPECT_EQ(form.coarse, "a=1 second=1 outfeed=0");
  EXPECT_EQ(form.fine, "tiles=one to=all a:s(n+) second=1 outfeed=0");
  send.set("a.start", 1999).set("a.count", 3).set("tiles", 0x8000);
  EXPECT_EQ(form_of(made(send, Opcode::ring_send)).fine, form.fine);
}

TEST(EdgetpuForms, UnknownFormsHaveANearestKnownOne) {
  Assembly infeed(Opcode::infeed);
  infeed.set("input", 1);
  EXPECT_EQ(compare(made(infeed, Opcode::infeed)).standing, Standing::known);

  Assembly odd(Opcode::outfeed);
  odd.set("stream", 0).set("host", 1);
  const Compared c = compare(made(odd, Opcode::outfeed));
  EXPECT_EQ(c.standing, Standing::new_coarse);
  ASSERT_NE(c.nearest, nullptr);
  EXPECT_EQ(c.nearest->opcode, "outfeed");

  Assembly table(Opcode::table);
  table.set("tiles", 0xFFFF);
  EXPECT_NE(compare(made(table, Opcode::table)).standing, Standing::new_coarse);
}

TEST(EdgetpuForms, MasksHaveClasses) {
  const auto tiles = [](uint64_t mask) {
    Assembly table(Opcode::table);
    table.set("tiles", mask);
    return form_of(made(table, Opcode::table)).fine;
  };
  EXPECT_EQ(tiles(0x0001), "tiles=one");
  EXPECT_EQ(tiles(0x00F0), "tiles=row");
  EXPECT_EQ(tiles(0x2222), "tiles=column");
  EXPECT_EQ(tiles(0x0033), "tiles=rectangle");
  EXPECT_EQ(tiles(0x0013), "tiles=other");
  EXPECT_EQ(tiles(0xFFFF), "tiles=all");
}

}  // namespace
}  // namespace edgetwin::edgetpu::forms
