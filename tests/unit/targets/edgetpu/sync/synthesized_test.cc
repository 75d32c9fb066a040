// Programs that `synthesize` makes, by their counters alone: no race and the bytes of the program's
// order, where lines are short with their true words (run_interleaved tells).
#include <gtest/gtest.h>

#include "base/rng.h"
#include "targets/edgetpu/machine/machine.h"
#include "targets/edgetpu/sync/interleaved.h"
#include "targets/edgetpu/synthesize/synthesize.h"

namespace edgetwin::edgetpu::sync {
namespace {

Bytes noise_of(int64_t size) {
  XorShift32 random(5);
  Bytes bytes(static_cast<size_t>(size));
  constexpr unsigned kFinite = 0x3F;  // four of them are a number below 1, as scales are
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.byte() & kFinite);
  return bytes;
}

Member dense_member(int size) {
  Member m;
  m.size = size;
  return m;
}

Member conv_member(int height, int width, int channels) {
  Member m;
  m.family = Family::conv3x3;
  m.height = height, m.width = width, m.channels = channels;
  return m;
}

TEST(EdgetpuSynthesized, HasNoRaceAndTheSameBytesInEveryOrder) {
  for (const Member& m :
       {dense_member(256), dense_member(512), dense_member(1024), conv_member(8, 76, 32),
        conv_member(12, 64, 32), conv_member(16, 12, 64),
        // Public programs wait for whole 256 bytes of input: these once stood still.
        dense_member(320), dense_member(448), dense_member(640), dense_member(960)}) {
    SCOPED_TRACE(text(m));
    const auto model = model_of(m);
    ASSERT_TRUE(model.ok());
    auto made = synthesize(*model);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    darwinn::Package& package = made->package;
    Bytes& parameters = package.executables.at(1).parameters;
    parameters = noise_of(static_cast<int64_t>(parameters.size()));
    const Bytes input = noise_of(m.input_bytes());
    auto machine = machine::Machine::make(package);
    ASSERT_TRUE(machine.ok()) << to_text(machine.error());
    const auto expected = machine->run({input});
    ASSERT_TRUE(expected.ok()) << to_text(expected.error());
    for (uint64_t order = 1; order < 5; ++order) {
      SCOPED_TRACE(order);
      const auto run = run_interleaved(package, {input}, order, *expected, "made");
      ASSERT_TRUE(run.ok()) << to_text(run.error());
      for (const Finding& f : run->findings) {
        EXPECT_NE(f.severity, Severity::error) << to_text(f);
      }
      EXPECT_EQ(run->outputs, *expected);
    }
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::sync
