// Two networks in one program, executed one after the other by the emulated processor: each gives
// its own answer, and where memory is shared what the processor writes is the register program of
// both.
#include <gtest/gtest.h>

#include "firmware/own_network.h"
#include "firmware/prepared.h"
#include "firmware/register_program.h"
#include "targets/max78/project/pair.h"

namespace edgetwin::firmware {
namespace {

using max78::PairMemory;

struct PairOfFirmware {
  Prepared first, second;
  max78::Pair made;
  std::string problem;
};

// Their own words for the known answers, so that a wrong one can be planted.
max78::CompiledNetwork compiled_of(const Prepared& p, const std::vector<Tensor>& answers) {
  auto compiled = max78::compile(p.plan(), p.c->sample, answers);
  EXPECT_TRUE(compiled.ok());
  return std::move(*compiled);
}

PairOfFirmware pair_of(max78::Device device, PairMemory memory, bool wrong_first = false,
                       bool wrong_second = false) {
  PairOfFirmware p;
  std::vector<std::string> words = {"--write-zero-registers"};
  p.first = prepare(own_case(OwnNetwork::plain, device, words), words, "one");
  words = {"--write-zero-registers", "--fifo"};
  if (memory == PairMemory::divided && p.first.problem.empty()) {
    words.push_back("--weight-start");
    words.push_back(std::to_string(max78::kernel_columns_of(p.first.plan())));
  }
  p.second = prepare(own_case(OwnNetwork::streaming, device, words), words, "two");
  p.problem = p.first.problem + p.second.problem;
  if (!p.problem.empty()) return p;
  std::vector<Tensor> one = p.first.outputs, two = p.second.outputs;
  if (wrong_first) one[0].as<int32_t>()[0] ^= 1;
  if (wrong_second) two[0].as<int8_t>()[0] ^= 1;
  const max78::CompiledNetwork a = compiled_of(p.first, one), b = compiled_of(p.second, two);
  auto made = max78::make_pair({"one", &p.first.plan(), &a, nullptr},
                               {"two", &p.second.plan(), &b, nullptr}, memory, {.name = "pair"});
  if (made.ok()) {
    p.made = std::move(*made);
  } else {
    p.problem = to_text(made.error());
  }
  return p;
}

Ran run_pair(const PairOfFirmware& p) {
  const Folder folder;
  const Built built = build(p.made.files, p.first.plan(), folder.path());
  EXPECT_EQ(built.log, "");
  if (!built.log.empty()) return {};
  return run(built.image, p.first.plan().chip->device, machine_for(p.first));
}

class FirmwarePairs : public testing::TestWithParam<std::tuple<max78::Device, PairMemory>> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_tools(); !missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_P(FirmwarePairs, BothAnswersAreThoseOfTheTwin) {
  const PairOfFirmware p = pair_of(std::get<0>(GetParam()), std::get<1>(GetParam()));
  ASSERT_EQ(p.problem, "");
  const Ran ran = run_pair(p);
  EXPECT_EQ(ran.problem, "");
  EXPECT_STREQ(name(ran.core.stop), name(Stop::exited)) << ran.core.message << ran.output;
  EXPECT_NE(ran.output.find("one: equal"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("two: equal"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("*** PASS ***"), std::string::npos) << ran.output;
  EXPECT_FALSE(ran.powered) << "the accelerator is left switched on";
  // Where memory is divided the project sets the accelerator up once more, to load both kernels.
  if (std::get<1>(GetParam()) == PairMemory::divided) return;
  const auto writes = writes_of(max78::to_text(p.made.program));
  EXPECT_EQ(compare(writes, ran.accesses), "");
  // The project stops the second network, too: a word for each of its groups.
  EXPECT_EQ(ran.accesses.size(), writes.size() + p.second.plan().groups.size());
}

TEST_P(FirmwarePairs, AWrongAnswerOfEitherIsNoticed) {
  for (const bool first : {true, false}) {
    SCOPED_TRACE(first ? "one" : "two");
    const PairOfFirmware p =
        pair_of(std::get<0>(GetParam()), std::get<1>(GetParam()), first, !first);
    ASSERT_EQ(p.problem, "");
    const Ran ran = run_pair(p);
    EXPECT_STREQ(name(ran.core.stop), name(Stop::looping)) << ran.core.message << ran.output;
    EXPECT_NE(ran.output.find(first ? "*** FAIL *** one" : "*** FAIL *** two"), std::string::npos)
        << ran.output;
    EXPECT_EQ(ran.output.find("one: equal") != std::string::npos, !first) << ran.output;
    EXPECT_EQ(ran.output.find("two: equal"), std::string::npos) << ran.output;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Both, FirmwarePairs,
    testing::Combine(testing::Values(max78::Device::max78000, max78::Device::max78002),
                     testing::Values(PairMemory::divided, PairMemory::shared)));

}  // namespace
}  // namespace edgetwin::firmware
