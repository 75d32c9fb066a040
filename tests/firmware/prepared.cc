#include <algorithm>

#include "firmware/prepared.h"

#include <gtest/gtest.h>

#include "firmware/register_program.h"

namespace edgetwin::firmware {

bool Prepared::has(const char* option) const {
  return std::find(words.begin(), words.end(), option) != words.end();
}

size_t Prepared::result_bytes() const {
  int64_t bytes = 0;
  for (const int i : max78::output_layers(plan())) {
    const max78::LayerPlan& l = plan().layer(i);
    bytes += int64_t{l.out_channels} * l.out_dim.h * l.out_dim.w * l.output_width / 8;
  }
  return static_cast<size_t>(bytes);
}

Prepared prepare(std::unique_ptr<golden::Max78Case> c, const std::vector<std::string>& words,
                 const std::string& name) {
  Prepared p;
  p.c = std::move(c);
  p.words = words;
  p.problem = p.c->refused;
  if (!p.problem.empty()) return p;
  p.c->options.upstream_bugs = false;
  p.c->planning =
      max78::make_plan(p.c->network, p.c->parameters, golden::shape_of(p.c->sample), p.c->options);
  auto simulation = max78::Simulation::make(p.plan(), {.trace = false});
  if (!simulation.ok()) {
    p.problem = to_text(simulation.error());
    return p;
  }
  const auto result = simulation->run(p.c->sample);
  if (!result.ok()) {
    p.problem = to_text(result.error());
    return p;
  }
  p.outputs = golden::outputs_of(p.plan(), *result);
  const auto compiled = max78::compile(p.plan(), p.c->sample, p.outputs);
  if (!compiled.ok()) {
    p.problem = to_text(compiled.error());
    return p;
  }
  auto files = max78::make_project(p.plan(), *compiled, {.name = name});
  if (files.ok()) {
    p.files = std::move(*files);
  } else {
    p.problem = to_text(files.error());
  }
  return p;
}

Ran build_and_run(const Prepared& p, const Chip::MakeAccelerator& accelerator) {
  const Folder folder;
  const Built built = build(p.files, p.plan(), folder.path());
  if (!built.log.empty()) {
    Ran ran;
    ran.problem = built.log;
    return ran;
  }
  Ran ran = run(built.image, p.plan().chip->device, accelerator);
  ran.flash_bytes = built.image.flash_bytes;
  ran.ram_bytes = built.image.ram_bytes;
  return ran;
}

Chip::MakeAccelerator machine_for(const Prepared& p) {
  const max78::Device device = p.plan().chip->device;
  return [device] { return std::make_unique<MachineAccelerator>(device); };
}

Chip::MakeAccelerator memory_for(const Prepared& p) {
  return [&p] {
    return std::make_unique<AnswerMemory>(p.plan().chip->device,
                                          max78::expected_words(p.plan(), p.outputs));
  };
}

void expect_passed(const Prepared& p, const Ran& ran) {
  EXPECT_EQ(ran.problem, "");
  EXPECT_STREQ(name(ran.core.stop), name(Stop::exited)) << ran.core.message << "\n" << ran.output;
  EXPECT_EQ(ran.core.exit_code, 0);
  EXPECT_NE(ran.output.find("*** PASS ***"), std::string::npos) << ran.output;
  EXPECT_FALSE(ran.powered) << "the accelerator is left switched on";
  expect_clock(p, ran);
}

void expect_results(const Prepared& p, const Ran& ran) {
  // A list of the description's own has other places.
  if (!p.plan().options.unload || !p.c->network.unload.empty()) return;
  Bytes results;
  for (const Tensor& t : p.outputs) {
    const bool order = t.dtype == DType::int8 || t.shape[1] * t.shape[2] == 1;
    if (!order) return;  // 32-bit results of several pixels come in groups of four channels
    results.insert(results.end(), t.data.begin(), t.data.end());
  }
  ASSERT_GE(ran.unloaded.size(), results.size());
  EXPECT_EQ(std::memcmp(ran.unloaded.data(), results.data(), results.size()), 0);
}

void expect_program(const Prepared& p, const Ran& ran, const std::string& program) {
  if (p.has("--energy")) return;  // does most of it a hundred times
  const auto writes = writes_of(program);
  EXPECT_EQ(compare(writes, ran.accesses), "");
  // Unloading through the byte swapper writes, too, and so does going on after a layer.
  if (p.has("--mlator") || p.has("--one-shot")) return;
  EXPECT_EQ(ran.accesses.size(), writes.size());
}

void expect_clock(const Prepared& p, const Ran& ran) {
  constexpr uint32_t kBy1 = 4, kBy2 = 0, kBy4 = 1;  // fields of the register
  const bool pll = !p.plan().small() && !p.has("--no-pll");
  uint32_t running = kBy1;  // with a pipeline, or at 50 MHz
  if (p.has("--no-pipeline")) running = pll ? kBy4 : kBy2;
  EXPECT_EQ(ran.running_divider, running);
  EXPECT_EQ(ran.first_divider, pll && !p.has("--max-speed") ? kBy4 : running);
}

}  // namespace edgetwin::firmware
