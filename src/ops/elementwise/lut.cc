// Look-up tables of ESP-DL. Source: specification of the runtime 5.3 to 5.6.
#include "numerics/lut.h"

#include "ops/core/byte_table.h"
#include "ops/core/checks.h"
#include "ops/core/instantiate.h"
#include "ops/elementwise/prepare.h"

namespace edgetwin::ops {
namespace {

using numerics::LutRule;

constexpr int64_t kLutGrain = 16384;

Error table_error(const OpContext& c, const std::string& what) {
  return c.error(ErrorCode::op_table, what)
      .detail("table '" + c.table()->name + "' of " + to_string(c.table()->shape) + " " +
              std::string(name(c.table()->dtype)));
}

Status check_table(const OpContext& c) {
  if (c.table() == nullptr) {
    return c.error(ErrorCode::op_table, "the operator has no table, without which it crashes");
  }
  const DType type = c.input(0).dtype;
  if (c.output(0).dtype != type || (type != DType::int8 && type != DType::int16)) {
    return c.unsupported_types();
  }
  if (c.table()->dtype != type) return table_error(c, "the table has another type than its input");
  return Ok{};
}

// One entry per input value: a table of step 1.
Kernel direct_kernel(const OpContext& c) {
  const std::shared_ptr<const Bytes> table = c.table()->constant;
  const int64_t elements = c.input_shape(0).elements();
  return [table, elements](const Args& args) -> Status {
    const auto* x = args.input<int16_t>(0);
    auto* y = args.output<int16_t>(0);
    const auto* t = reinterpret_cast<const int16_t*>(table->data()) + 32768;
    args.pool.parallel_for(elements, kLutGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) y[i] = t[x[i]];
    });
    return Ok{};
  };
}

// The result of one input.
struct Interpolation {
  int step = 0;
  LutRule rule;
  numerics::Rounding ties;

  int16_t at(const int16_t* table, int16_t x) const {
    return rule == LutRule::interpolate ? numerics::lut16_interpolate(table, step, x)
                                        : numerics::lut16_nearest(table, step, x, ties);
  }
};

// As the chip does: of fewer elements than there are inputs, one run costs less than a table of
// all.
Kernel interpolating_kernel(const OpContext& c, Interpolation of) {
  const std::shared_ptr<const Bytes> table = c.table()->constant;
  const int64_t elements = c.input_shape(0).elements();
  return [table, elements, of](const Args& args) -> Status {
    const auto* x = args.input<int16_t>(0);
    auto* y = args.output<int16_t>(0);
    const auto* t = reinterpret_cast<const int16_t*>(table->data());
    args.pool.parallel_for(elements, kLutGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) y[i] = of.at(t, x[i]);
    });
    return Ok{};
  };
}

// All 65,536 results at once: the look-up of a run is then the direct one.
constexpr size_t kInputs16 = 65536;

void expand(const int16_t* table, Interpolation of, int16_t* all) {
  for (size_t u = 0; u < kInputs16; ++u) {
    all[u] = of.at(table, static_cast<int16_t>(static_cast<int>(u) - 32768));
  }
}

void look_up(const int16_t* all, int64_t elements, const Args& args) {
  const auto* x = args.input<int16_t>(0);
  auto* y = args.output<int16_t>(0);
  const int16_t* t = all + 32768;
  args.pool.parallel_for(elements, kLutGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) y[i] = t[x[i]];
  });
}

Kernel expanded_kernel(const OpContext& c, Interpolation of) {
  auto all = std::make_shared<std::vector<int16_t>>(kInputs16);
  expand(reinterpret_cast<const int16_t*>(c.table()->constant->data()), of, all->data());
  return
      [all = std::move(all), elements = c.input_shape(0).elements()](const Args& args) -> Status {
        look_up(all->data(), elements, args);
        return Ok{};
      };
}

// Of one run the layers take turns with the memory of their tables.
Kernel expanding_kernel(const OpContext& c, Interpolation of) {
  const std::shared_ptr<const Bytes> table = c.table()->constant;
  return [table, of, elements = c.input_shape(0).elements()](const Args& args) -> Status {
    auto* all = reinterpret_cast<int16_t*>(args.scratch);
    expand(reinterpret_cast<const int16_t*>(table->data()), of, all);
    look_up(all, elements, args);
    return Ok{};
  };
}

void choose_kernel(const OpContext& c, Interpolation of, Prepared& prepared) {
  if (!c.options().once) {
    prepared.run = expanded_kernel(c, of);
  } else if (c.input_shape(0).elements() < static_cast<int64_t>(kInputs16)) {
    prepared.run = interpolating_kernel(c, of);
  } else {
    prepared.scratch_bytes = kInputs16 * sizeof(int16_t);
    prepared.run = expanding_kernel(c, of);
  }
}

[[gnu::cold]] Result<Prepared> prepare_lut16(const OpContext& c, numerics::Rounding ties) {
  const int64_t entries = c.table()->shape.elements();
  if (entries < 3) return table_error(c, "a table of fewer than three entries");
  const int step = numerics::lut_step(entries);
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  if (entries == 65536 || entries == 65537) {
    prepared.run = direct_kernel(c);
    return prepared;
  }
  if (step == 0) return table_error(c, "a table has at most 65,537 entries");
  if (step == 1 || entries < numerics::lut_entries(step)) {
    return table_error(c, "the last entry is missing: the runtime reads past the table's end")
        .detail("step = 65536 / (" + std::to_string(entries) + " - 1) = " + std::to_string(step) +
                "; the last input needs entry " + std::to_string(65535 / step + 1));
  }
  const LutRule rule = numerics::lut_rule_of_runtime(c.options().runtime);
  const bool nearest = rule == LutRule::nearest;
  if (nearest && !numerics::lut_step_is_power_of_two(step)) {
    return table_error(c, "the distance of the entries is not a power of two")
        .detail("step = 65536 / (" + std::to_string(entries) + " - 1) = " + std::to_string(step));
  }
  choose_kernel(c, {step, rule, ties}, prepared);
  prepared.path = nearest ? "nearest entry" : "interpolated";
  return prepared;
}

}  // namespace

template <class F>
Result<Prepared> prepare_lut(const OpContext& c) {
  EDGETWIN_TRY(check_table(c));
  const bool same =
      numerics::espdl::exponent(c.table()->quant) == numerics::espdl::exponent(c.output(0).quant);
  if (!same) {
    return table_error(c, "the table's exponent is not the output's, which the runtime asserts")
        .detail(to_string(c.table()->quant) + ", output " + to_string(c.output(0).quant));
  }
  if (c.input(0).dtype == DType::int16) return prepare_lut16(c, F::Unit::kRounding);
  if (c.table()->shape.elements() != 256) return table_error(c, "an 8-bit table has 256 entries");
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  ByteTable table;
  const auto* entries = reinterpret_cast<const int8_t*>(c.table()->constant->data());
  for (int x = -128; x < 128; ++x) {
    table[static_cast<uint8_t>(x)] =
        static_cast<uint8_t>(numerics::lut8(entries, static_cast<int8_t>(x)));
  }
  prepared.run = byte_table_kernel(table, c.input_shape(0).elements(), c.options());
  prepared.path = "table";
  return prepared;
}

EDGETWIN_FOR_EACH_ESPDL(prepare_lut)

}  // namespace edgetwin::ops
