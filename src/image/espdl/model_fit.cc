#include "image/espdl/model_fit.h"

#include <algorithm>

#include "image/espdl/convert.h"
#include "image/espdl/model_input.h"
#include "image/espdl/rules.h"

namespace edgetwin::espdl_image {
namespace {

constexpr int kLevels = 256;
// Parts of the levels that are limited, and of the integers that are used, below which it is a
// matter of rounding or of a dark picture.
constexpr int kLimitedPart = 8, kUsedPart = 8;

class Judge {
 public:
  Judge(const Params& given, const ModelInput& input) : given_(given), input_(input) {}

  std::vector<Finding> run() {
    sizes();
    exponents();
    types();
    Params whole = given_;
    if (fill_from_input(input_.shape, input_.type, input_.quant, whole).ok()) tables(whole);
    return std::move(findings_);
  }

 private:
  void warn(Rule rule, const std::string& what) {
    findings_.push_back(rule_finding(rule, what));
    findings_.back().place = "the input '" + input_.name + "'";
  }

  void sizes() {
    if (input_.shape.rank() != 4) {
      warn(Rule::model_form,
           "the pipeline makes pictures of 4 axes, the model reads " + to_string(input_.shape));
      return;
    }
    const int64_t rows = input_.shape[1], columns = input_.shape[2];
    const int64_t high = given_.height.value_or(static_cast<int>(rows));
    const int64_t wide = given_.width.value_or(static_cast<int>(columns));
    if (high == rows && wide == columns) return;
    warn(Rule::model_form, "the pipeline makes " + std::to_string(wide) + " x " +
                               std::to_string(high) + " pixels, the model reads " +
                               std::to_string(columns) + " x " + std::to_string(rows));
  }

  void exponents() {
    if (!given_.exponent || input_.quant.exponent.size() != 1) return;
    const int model = input_.quant.exponent[0], pipeline = *given_.exponent;
    if (model == pipeline) return;
    warn(Rule::model_form, "the pipeline has the exponent " + std::to_string(pipeline) +
                               ", the model " + std::to_string(model) + ": every number means 2^" +
                               std::to_string(model - pipeline) + " times as much to the model");
  }

  void types() {
    if (!given_.target || input_.shape.rank() != 4) return;
    const PixelInfo& target = info(*given_.target);
    const bool same =
        target.type == input_.type && int64_t{target.target_elements} == input_.shape[3];
    if (same) return;
    warn(Rule::model_form, "the pipeline makes " + std::string(target.name) + ", " +
                               std::to_string(target.target_elements) + " " +
                               std::string(name(target.type)) + " per pixel; the model reads " +
                               std::to_string(input_.shape[3]) + " " +
                               std::string(name(input_.type)));
  }

  void tables(const Params& whole) {
    if (whole.pipeline != Pipeline::transform || !whole.target || !is_quantized(*whole.target)) {
      return;
    }
    const bool wide = info(*whole.target).type == DType::int16;
    const auto table =
        quant_table(whole.mean, whole.std, *whole.exponent, wide, rounding_of(whole.chip));
    if (!table.ok()) return;
    for (size_t c = 0; c < table->size(); ++c) channel(c, (*table)[c], wide);
  }

  void channel(size_t c, const std::array<int16_t, 256>& table, bool wide) {
    const int low = wide ? -32768 : -128, high = wide ? 32767 : 127;
    const auto [least, most] = std::minmax_element(table.begin(), table.end());
    const auto limited =
        std::count_if(table.begin(), table.end(), [&](int16_t q) { return q == low || q == high; });
    const std::string numbers = "channel " + std::to_string(c) + ": black gives " +
                                std::to_string(table.front()) + ", white " +
                                std::to_string(table.back());
    // The outermost level may be the limit itself.
    if (limited > kLevels / kLimitedPart) {
      warn(Rule::model_range, numbers + "; " + std::to_string(limited) +
                                  " of 256 levels are limited to " + std::to_string(low) + " or " +
                                  std::to_string(high));
    } else if (!wide && *most - *least < kLevels / kUsedPart) {
      warn(Rule::model_range,
           numbers + ": of 256 integers " + std::to_string(*most - *least + 1) + " are used");
    }
  }

  const Params& given_;
  const ModelInput& input_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> model_fit(const Params& given, const ModelInput& input) {
  return Judge(given, input).run();
}

}  // namespace edgetwin::espdl_image
