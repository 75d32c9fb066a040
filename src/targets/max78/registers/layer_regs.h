// Register values of a layer. Source: specification "registers" 3, 4 and 7.
#pragma once

#include <cstdint>

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

// Numbers of a streaming or FIFO-fed layer. Source: specification "registers" 4.
struct StreamValues {
  int64_t start = 0, invol = 0, delta1 = 0, delta2 = 0, rollover = 0;
  bool rolls = false;  // rollover is written
};
StreamValues stream_values(const HardwarePlan& plan, const HardwareLayer& layer);

// The registers that differ from group to group take the group, the others hold for all.
class LayerRegs {
 public:
  LayerRegs(const Plan& plan, const LayerPlan& layer);

  uint32_t next() const;
  uint32_t rows() const;
  uint32_t columns() const;
  uint32_t pool_rows() const { return pool_taps(l_.pool.h, l_.pool_dilation.h); }
  uint32_t pool_columns() const { return pool_taps(l_.pool.w, l_.pool_dilation.w); }
  uint32_t stride() const;
  uint32_t write_base(int group) const;
  uint32_t write_time_slot() const;
  uint32_t write_mask() const;
  uint32_t write_pass() const;
  uint32_t read_base() const { return static_cast<uint32_t>(l_.in_offset / 4); }
  uint32_t control(int group) const;
  uint32_t control2() const;
  uint32_t kernels() const;
  uint32_t kernels2() const;
  uint32_t out_channels() const;
  uint32_t one_dimension() const;
  uint32_t row_memory() const;
  uint32_t post(int group) const;
  uint32_t enables(int group) const;
  bool writes_mask() const { return l_.hw_op != Operator::none; }

 private:
  uint32_t pool_taps(int taps, int dilation) const;
  int64_t row_count() const;
  int64_t column_count() const;
  int64_t time_slots() const;
  bool local_source() const;
  bool single_tap() const;
  int64_t flatten_product() const;
  void kernel_positions(int64_t& first, int64_t& last, int64_t& start) const;
  bool small() const { return plan_.small(); }

  const Plan& plan_;
  const LayerPlan& l_;
};

}  // namespace edgetwin::max78
