// The modules behind `demo`: each looks at one picture after the other, says what it sees and draws
// it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "cli/demo/arguments.h"
#include "cli/shared/console.h"
#include "report/json.h"
#include "robotics/module.h"
#include "tensor/tensor.h"

namespace edgetwin::cli {

class Demo {
 public:
  virtual ~Demo() = default;
  virtual Status open() = 0;
  // `picture` is height x width x 3 and drawn on; `row` is a line's members of the document.
  virtual Result<std::string> observe(Tensor& picture, report::Json& row) = 0;
  virtual Status finish() { return Ok{}; }
  // Of all pictures: lines for people, members of the document.
  virtual std::string summary(report::Json& /*document*/) const { return {}; }
};

// The template that `made` gives, or the model that the user names.
Result<robotics::Prepared> prepared(
    const DemoArguments& a,
    Result<robotics::Prepared> (*made)(const DemoArguments&, const robotics::TwinOptions&));

using MadeDemo = Result<std::unique_ptr<Demo>>;
MadeDemo spot_demo(const DemoArguments& a);
MadeDemo pattern_demo(const DemoArguments& a);
MadeDemo looming_demo(const DemoArguments& a);
MadeDemo flow_demo(const DemoArguments& a);
MadeDemo compass_demo(const DemoArguments& a);
MadeDemo reservoir_demo(const DemoArguments& a);
MadeDemo similarity_demo(const DemoArguments& a);
MadeDemo invoker_demo(const DemoArguments& a);
Result<int> matmul_demo(const DemoArguments& a, Console& console);

// "-0.120", never "-0.000"
std::string decimal(double value, int digits = 3);

// Drawing; what is outside is left out.
void draw_line(Tensor& picture, double x0, double y0, double x1, double y1);
// The picture redder where a zone of 3 x 3 has more; the largest value is the reddest.
void draw_zones(Tensor& picture, std::span<const float, 9> zones);
void draw_cross(Tensor& picture, double x, double y, double size);
void draw_box(Tensor& picture, double left, double top, double right, double bottom);

}  // namespace edgetwin::cli
