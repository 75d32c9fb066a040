#pragma once
#include "dl_detect_postprocessor.hpp"
namespace dl {
namespace detect {
class MNPPostprocessor : public FakePostprocessor<anchor_box_stage_t> {
  using FakePostprocessor::FakePostprocessor;
};
}  // namespace detect
}  // namespace dl
