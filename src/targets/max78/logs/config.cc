// config.csv. Source: specification "rtl" 8.
#include "targets/max78/logs/log_parts.h"
#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

std::string sides(Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); }

std::string operator_word(Operator op) {
  if (op == Operator::conv_transpose2d) return "conv transpose2d";
  return std::string(ai8x::name(op));
}

const char* pool_word(const LayerPlan& l) {
  if (!l.pools()) return "no";
  return l.average() ? "avg" : "max";
}

std::string config_line(const Plan& plan, const LayerPlan& l) {
  constexpr int kInstancesOfWindow = 16;
  const StreamValues stream = stream_values(plan, l);
  const int64_t pixels = int64_t{l.hw_pooled.h} * l.hw_pooled.w;
  const int64_t product = l.flatten ? int64_t{l.in_expand} * pixels - 1 : 0;
  std::string text = "l," + std::to_string(l.index);
  const auto add = [&text](const std::string& field) { text += "," + field; };
  const auto flag = [&add](bool on) { add(on ? "1" : "0"); };
  add(log_hex(plan.chip->instance_stride / kInstancesOfWindow));
  flag(l.streaming);
  add(log_hex(stream.rolls ? static_cast<uint64_t>(stream.rollover) : 0));
  add(std::to_string(l.output_width));
  add(log_hex(l.processors));
  add(log_hex(static_cast<uint64_t>(product)));
  flag(product >= kInstancesOfWindow);
  flag(l.flatten);
  add(operator_word(l.op));
  add(operator_word(l.hw_op));
  add(l.eltwise() ? std::string(ai8x::name(l.yaml->eltwise)) : "none");
  add(std::to_string(l.in_expand));
  add(std::to_string(l.in_channels));
  for (const Size2 s : {l.hw_in, l.hw_pooled, l.out_dim}) add(sides(s));
  add(pool_word(l));
  flag(l.yaml->pool_first);
  for (const Size2 s : {l.pool, l.pool_stride, l.pool_dilation}) add(sides(s));
  add(std::to_string(l.groups));
  for (const Size2 s : {l.hw_pad, l.hw_kernel, l.yaml->stride, l.dilation}) add(sides(s));
  add(std::to_string(l.out_pad));
  add(sides({l.yaml->output_pad, l.yaml->output_pad}));
  return text + "\n";
}

}  // namespace

std::string log_hex(uint64_t value) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[value & 15U]);
    value >>= 4;
  } while (value != 0);
  return text;
}

std::string config_csv(const Plan& plan) {
  std::string text;
  for (const int i : plan.order) text += config_line(plan, plan.layer(i));
  return text;
}

}  // namespace edgetwin::max78
