// Pictures that are made up: the same on every machine and in every run.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "camera/camera.h"

namespace edgetwin::camera {

enum class Pattern : uint8_t {
#define PATTERN(name, text) name,
#include "camera/synthetic.def"
#undef PATTERN
};

struct PatternInfo {
  Pattern pattern;
  std::string_view name, text;
};
const std::vector<PatternInfo>& patterns();

class SyntheticCamera final : public Camera {
 public:
  // Errors: usage for an unknown name, camera_device for a size that cannot be.
  static Result<std::unique_ptr<SyntheticCamera>> create(std::string_view pattern,
                                                         const Settings& settings);
  Result<std::optional<Tensor>> read() override;
  std::string description() const override;

 private:
  SyntheticCamera(Pattern pattern, const Settings& settings);
  void draw(Tensor& picture, double time);
  void wandering_dot(Tensor& picture, double time) const;
  void rotating(Tensor& picture, double time) const;
  void panning(Tensor& picture, double time) const;
  void approaching(Tensor& picture, double time) const;

  Pattern pattern_;
  Settings settings_;
  int64_t frame_ = 0;
  XorShift32 random_{0x2545f491};
  std::vector<uint8_t> background_;  // wandering_dot: noise; panning: grey of every column
};

}  // namespace edgetwin::camera
