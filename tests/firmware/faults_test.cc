// What is wrong with firmware is found: each row changes the generated project in one place.
#include <gtest/gtest.h>

#include "firmware/own_network.h"
#include "firmware/prepared.h"

namespace edgetwin::firmware {
namespace {

struct Fault {
  const char* what;
  const char* file;
  const char* from;  // a regular expression would do more than is needed
  const char* to;
  Stop stop;
  const char* says;  // part of the firmware's output or of the core's message
};

constexpr Fault kFaults[] = {
    {"another bias", "weights.h", "#define BIAS_0 { \\\n  0x", "#define BIAS_0 { \\\n  1+0x",
     Stop::looping, "expected 0x"},
    {"another pixel", "sampledata.h", "#define SAMPLE_INPUT_0 { \\\n  0x",
     "#define SAMPLE_INPUT_0 { \\\n  64^0x", Stop::looping, "expected 0x"},
    {"another answer", "main.c", "value = *addr & mask;", "value = (*addr ^ 1) & mask;",
     Stop::looping, "*** FAIL ***"},
    {"no biases", "main.c", "  cnn_load_bias();\n", "", Stop::looping, "*** FAIL ***"},
    {"no kernels", "main.c", "  cnn_load_weights();\n", "", Stop::looping, "*** FAIL ***"},
    {"never started", "main.c", "  cnn_start();\n", "", Stop::asleep, ""},
    {"no handler", "cnn.c", "  NVIC_SetVector(CNN_IRQn, CNN_ISR);\n", "", Stop::asleep, ""},
    {"interrupt not acknowledged", "cnn.c", "&= 0xffffeffe;", "|= 0;", Stop::fault,
     "interrupt 101 is never acknowledged"},
    {"no power", "cnn.c", "  MXC_GCFR->reg0 = 0x3;\n", "", Stop::fault, "without power"},
    {"still isolated", "cnn.c", "  MXC_GCFR->reg2 = 0xc;\n", "", Stop::fault, "isolation"},
    {"no clock", "cnn.c", "  MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_CNN);\n", "", Stop::fault,
     "without power or clock"},
    {"half words", "cnn.c",
     "volatile uint32_t *to = dst;\n\n  while (n-- > 0)\n    *to++ = *src++;",
     "volatile uint16_t *to = (uint16_t *) dst;\n\n  while (n-- > 0)\n    *to++ = *src++;",
     Stop::fault, "a write of two bytes"},
};

// All places; the test fails where there is none.
void change(std::string& text, const std::string& from, const std::string& to) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
    ++found;
  }
  ASSERT_GT(found, 0U) << from;
}

void change_file(Prepared& p, const Fault& fault) {
  for (max78::ProjectFile& f : p.files) {
    if (f.name == fault.file) change(f.text, fault.from, fault.to);
  }
}

class FirmwareFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_tools(); !missing.empty()) GTEST_SKIP() << missing;
  }
  static Prepared plain(const std::vector<std::string>& words = {}) {
    return prepare(own_case(OwnNetwork::plain, max78::Device::max78000, words), words, "own");
  }
};

TEST_F(FirmwareFaults, AreFound) {
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(fault.what);
    Prepared p = plain();
    ASSERT_EQ(p.problem, "");
    ASSERT_NO_FATAL_FAILURE(change_file(p, fault));
    const Ran ran = build_and_run(p, machine_for(p));
    EXPECT_STREQ(name(ran.core.stop), name(fault.stop)) << ran.core.message << "\n"
                                                        << ran.output << ran.problem;
    EXPECT_NE((ran.output + ran.core.message).find(fault.says), std::string::npos)
        << ran.output << ran.core.message;
    EXPECT_EQ(ran.output.find("PASS"), std::string::npos);
  }
}

// One bit of one weight: the first byte of the kernels' first column of each layer's first
// processor.
TEST_F(FirmwareFaults, OneWeight) {
  Prepared p = plain();
  ASSERT_EQ(p.problem, "");
  const Fault weight{"", "weights.h", "#define KERNELS { \\\n  ", "", Stop::looping, ""};
  for (max78::ProjectFile& f : p.files) {
    if (f.name != "weights.h") continue;
    // Address, length, then the first word.
    size_t at = f.text.find(weight.from);
    ASSERT_NE(at, std::string::npos);
    for (int comma = 0; comma < 2; ++comma) at = f.text.find(", ", at) + 2;
    f.text.insert(at, "0x10000000 ^ ");
  }
  const Ran ran = build_and_run(p, machine_for(p));
  EXPECT_STREQ(name(ran.core.stop), name(Stop::looping)) << ran.problem;
  EXPECT_NE(ran.output.find("*** FAIL ***"), std::string::npos) << ran.output;
}

// The Arm core of a RISC-V project starts the other core and sleeps until that one is done.
class TwoCores : public Chip {
 public:
  TwoCores(const Prepared& p, const Image& second)
      : Chip(p.plan().chip->device, machine_for(p)), second_(second) {}

  void sleep() override {
    constexpr uint32_t kPclkdis1 = 0x40000048U, kSecondClock = 1U << 31;
    Chip::sleep();
    if (ran_ || (register_value(kPclkdis1) & kSecondClock) != 0) return;
    ran_ = true;
    CortexM core(second_, *this, {});
    result_ = core.run();
  }
  const CoreResult& result() const { return result_; }

 private:
  const Image& second_;
  CoreResult result_;
  bool ran_ = false;
};

TEST_F(FirmwareFaults, ArmCoreStartsTheOtherCore) {
  const Prepared p = plain({"--riscv"});
  ASSERT_EQ(p.problem, "");
  const Folder one, two;
  const Built arm = build(p.files, p.plan(), one.path(), Program::arm_waits);
  const Built other = build(p.files, p.plan(), two.path());
  ASSERT_EQ(arm.log + other.log, "");
  TwoCores chip(p, other.image);
  CortexM core(arm.image, chip, {});
  const CoreResult result = core.run();
  EXPECT_STREQ(name(chip.result().stop), name(Stop::exited)) << chip.result().message;
  EXPECT_STREQ(name(result.stop), name(Stop::exited)) << result.message;
  EXPECT_NE(chip.output().find("*** PASS ***"), std::string::npos) << chip.output();
  EXPECT_NE(chip.register_value(0x40000810U), 0U) << "where the second core starts";
}

}  // namespace
}  // namespace edgetwin::firmware
