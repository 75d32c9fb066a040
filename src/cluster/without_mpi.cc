#include "cluster/cluster.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::cluster {

Result<std::unique_ptr<Cluster>> join() {
  return evaluation::broken(evaluation::Rule::no_mpi,
                            std::to_string(launched()) +
                                " processes were started by MPI, and this program was built "
                                "without it");
}

}  // namespace edgetwin::cluster
