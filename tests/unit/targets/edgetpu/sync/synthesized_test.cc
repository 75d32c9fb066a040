// Programs that `synthesize` makes, by their counters alone: no race and the bytes of the program's
// order, where lines are short with their true words (run_interleaved tells).
#include <gtest/gtest.h>

#include <tuple>

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

void expect_same(const SyncReport& a, const SyncReport& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.checked.reads, b.checked.reads);
  EXPECT_EQ(a.checked.writes, b.checked.writes);
  EXPECT_EQ(a.standstill.has_value(), b.standstill.has_value());
  ASSERT_EQ(a.races.size(), b.races.size());
  for (size_t n = 0; n < a.races.size(); ++n) {
    const Race &x = a.races[n], &y = b.races[n];
    EXPECT_EQ(std::tie(x.kind, x.memory, x.step, x.other, x.tiles, x.place, x.count),
              std::tie(y.kind, y.memory, y.step, y.other, y.tiles, y.place, y.count));
  }
}

// Tensor instructions do not wait for what feeds them: every third one of them, from `first` on.
darwinn::Package without_waits(darwinn::Package package, size_t first) {
  const auto inference = static_cast<size_t>(package.inference() - package.executables.data());
  size_t n = first;
  for (darwinn::Bitstream& b : package.executables[inference].bitstreams) {
    for (const Instruction& i : parse(b.data).instructions) {
      if (i.opcode() != Opcode::tensor || n++ % 3 != 0) continue;
      const FieldInfo& start = *field_named(i.opcode(), "wait.start");
      for (const Watcher& w : watchers_of(i)) {
        set_bits(std::span(b.data).subspan(i.word * kWordBytes), start.bit_of(w.element),
                 start.width, 0);
      }
    }
  }
  return package;
}

// Rows side by side: the same bytes, accesses and time as of iterations one after the other, also
// where a wait is missing and engines race.
TEST(EdgetpuSynthesized, RowsAreTheirIterations) {
  size_t raced = 0;
  for (const Member& m : {dense_member(256), conv_member(12, 64, 32)}) {
    SCOPED_TRACE(text(m));
    const auto model = model_of(m);
    ASSERT_TRUE(model.ok());
    auto made = synthesize(*model);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    Bytes& parameters = made->package.executables.at(1).parameters;
    parameters = noise_of(static_cast<int64_t>(parameters.size()));
    const Bytes input = noise_of(m.input_bytes());
    std::vector<darwinn::Package> packages{made->package};
    for (size_t n = 0; n < 3; ++n) packages.push_back(without_waits(made->package, n));
    for (const darwinn::Package& package : packages) {
      std::vector<SyncReport> reports;
      std::vector<std::vector<Bytes>> outputs;
      for (const bool plain : {true, false}) {
        SyncOptions options;
        options.races = true;
        options.plain = plain;
        auto machine = SyncMachine::make(package, options);
        ASSERT_TRUE(machine.ok());
        const auto out = machine->run({input});
        ASSERT_TRUE(out.ok()) << to_text(out.error());
        outputs.push_back(*out);
        reports.push_back(machine->report());
      }
      EXPECT_EQ(outputs[0], outputs[1]);
      expect_same(reports[0], reports[1]);
      raced += reports[0].races.size();
    }
  }
  EXPECT_NE(raced, 0U);
}

}  // namespace
}  // namespace edgetwin::edgetpu::sync
