// MPI, a module: only evaluations of several processes need it.
#pragma once

#include "base/modules/modules.h"
#include "cluster/cluster.h"

namespace edgetwin::cluster {

using StartMpi = Result<std::unique_ptr<Cluster>>();

}  // namespace edgetwin::cluster

EDGETWIN_MODULE_OFFERS(edgetwin::cluster::StartMpi*, edgetwin_start_mpi);
