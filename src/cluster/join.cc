#include "base/modules/modules.h"
#include "cluster/mpi.h"

namespace edgetwin::cluster {

Result<std::unique_ptr<Cluster>> join() {
  EDGETWIN_TRY_ASSIGN(StartMpi* const start, EDGETWIN_MODULE_FUNCTION("mpi", edgetwin_start_mpi));
  return start();
}

}  // namespace edgetwin::cluster
