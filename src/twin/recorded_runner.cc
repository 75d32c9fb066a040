// A folder of recorded tensors as a runner.
#include "report/trace_io.h"
#include "twin/runners.h"

namespace edgetwin {
namespace twin {
namespace {

class RecordedRunner : public PortedRunner {
 public:
  RecordedRunner(std::string folder, std::vector<report::TraceTensor> tensors)
      : folder_(std::move(folder)) {
    for (report::TraceTensor& t : tensors) {
      const bool output = t.op_type.empty();  // outputs.json and plain arrays name no operator
      if (output) {
        outputs_.push_back(
            {t.tensor.name, t.tensor.dtype, t.tensor.shape, t.tensor.quant, false, {}});
        run_.outputs.push_back(std::move(t.tensor));
        continue;
      }
      LayerResult l;
      l.layer = t.op_type + " '" + t.tensor.name + "'";
      l.type = t.op_type;
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
