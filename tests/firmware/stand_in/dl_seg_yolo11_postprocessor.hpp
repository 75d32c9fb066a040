#pragma once
#include "dl_detect_postprocessor.hpp"
namespace dl {
namespace detect {
class yolo11segPostProcessor : public FakePostprocessor<anchor_point_stage_t> {
  using FakePostprocessor::FakePostprocessor;
};
}  // namespace detect
}  // namespace dl
