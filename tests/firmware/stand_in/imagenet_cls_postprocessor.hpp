#pragma once
#include "dl_cls_postprocessor.hpp"
namespace dl {
namespace cls {
class ImageNetClsPostprocessor : public ClsPostprocessor {
  using ClsPostprocessor::ClsPostprocessor;
};
}  // namespace cls
}  // namespace dl
