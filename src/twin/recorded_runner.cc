// A folder of recorded tensors as a runner.
#include "report/trace_io.h"
#include "twin/runners.h"

namespace edgetwin {
namespace twin {
namespace {

// Arrays without an index are in order by their number: "0003_conv1.npy" is the tensor "conv1".
std::string without_number(const std::string& name) {
  const size_t digits = name.find_first_not_of("0123456789");
  const bool numbered = digits != std::string::npos && digits > 0 && name[digits] == '_';
  return numbered ? name.substr(digits + 1) : name;
}

class RecordedRunner : public PortedRunner {
 public:
  RecordedRunner(std::string folder, std::vector<report::TraceTensor> tensors)
      : folder_(std::move(folder)) {
    for (report::TraceTensor& t : tensors) {
      if (t.op_type.empty() && t.file.starts_with("output_")) {
        outputs_.push_back(
            {t.tensor.name, t.tensor.dtype, t.tensor.shape, t.tensor.quant, false, {}});
        run_.outputs.push_back(std::move(t.tensor));
        continue;
      }
      if (t.op_type.empty()) t.tensor.name = without_number(t.tensor.name);
      LayerResult l;
      l.type = t.op_type.empty() ? "array" : t.op_type;
      l.layer = l.type + " '" + t.tensor.name + "'";
      l.index = t.op_index;
      l.value = t.value;
      l.tensor = std::move(t.tensor);
      run_.layers.push_back(std::move(l));
    }
  }

  Where where() const override { return Where::recorded; }
  std::string numerics() const override { return ""; }
  std::string description() const override { return "recorded in " + folder_; }
  Result<Run> run(std::span<const Tensor>) override { return Run(run_); }

 private:
  std::string folder_;
  Run run_;
};

}  // namespace

Result<std::unique_ptr<Runner>> folder_runner(const std::string& folder) {
  EDGETWIN_TRY_ASSIGN(std::vector<report::TraceTensor> tensors, report::read_tensor_folder(folder));
  return std::unique_ptr<Runner>(std::make_unique<RecordedRunner>(folder, std::move(tensors)));
}

}  // namespace twin

Result<std::unique_ptr<Runner>> recorded_runner(const std::string& folder) {
  return twin::folder_runner(folder);
}

}  // namespace edgetwin
