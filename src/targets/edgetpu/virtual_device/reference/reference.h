// Outputs of the virtual device from the network that the program was made of, computed as the
// silicon rounds, with the weights that were uploaded.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "exec/session.h"
#include "targets/edgetpu/virtual_device/reference/library.h"
#include "targets/edgetpu/virtual_device/stick/compute.h"

namespace edgetwin::edgetpu {

class ReferenceCompute : public Compute {
 public:
  explicit ReferenceCompute(std::shared_ptr<const Library> library, int threads = 1);
  ~ReferenceCompute() override;

  std::string_view name() const override { return "reference"; }
  std::optional<std::string> check_chunk(const Request& request) override;
  Result<Bytes> output(const Request& request, const Descriptor& wanted) override;
  void finished(const Request& request) override;
  void reset() override;
  std::optional<int64_t> macs(const Request& request) override;
  std::vector<std::string> take_remarks() override;

  // Whether these instructions are of a model that was learned with its source graph.
  bool has_graph(const Request& request);
  // Error: stick_refused, where they are known and need parameters that are not on the chip.
  Status check_resident(const Request& request);

 private:
  struct Match {
    std::vector<size_t> programs;  // of the library, whose chunks came so far
    std::string wrong;             // what is wrong with the order of the chunks
  };
  // A model that ran: its session and what it was made for.
  struct Runner {
    uint64_t cached = 0;  // version of what was on the chip; 0: nothing
    Bytes streamed;       // parameters that came with the inference
    std::shared_ptr<const Graph> graph;
    std::unique_ptr<exec::Session> session;
    bool fast = false;  // the session's operators are prepared for many runs
    int runs = 0;
    int64_t macs = 0;
  };
  // What a caching program left on the chip.
  struct Cached {
    std::vector<size_t> programs;
    std::vector<bool> own;  // by program: the parameters are those of its file
    Bytes parameters;
    uint64_t version = 0;
  };

  const Match& match(const Request& request);
  Result<const KnownProgram*> choose(const Request& request);
  const Cached* cached_for(const KnownModel& model, bool* own = nullptr) const;
  void keep(std::vector<size_t> programs, Bytes parameters);
  Status run(const KnownProgram& program, const Request& request);
  Status plan(Runner& r, bool fast) const;
  Result<Runner*> runner(const KnownProgram& program, const Request& request);

  std::shared_ptr<const Library> library_;
  int threads_;
  std::unordered_map<uint64_t, Match> matches_;
  size_t known_programs_ = 0;  // when they were made
  std::vector<Cached> cached_;
  uint64_t next_version_ = 0;
  std::string lost_;                  // whose parameters the last change of token took away
  std::map<size_t, Runner> runners_;  // by model
  // Of the run that is being answered.
  size_t ran_input_ = 0, ran_parameters_ = 0;
  bool ran_ = false;
  Bytes stream_;  // all its outputs, as they follow each other
  std::vector<std::string> remarks_;
};

}  // namespace edgetwin::edgetpu
