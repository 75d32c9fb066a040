// The processes that mpirun started, as one cluster.
#pragma once

#include <memory>

#include "edgetwin/evaluate.h"

namespace edgetwin::cluster {

// How many processes a launcher of MPI started, by what it sets in the environment; 1: none did.
int launched();

// All of them; to be called once, before any thread is started, and to be kept until the end.
// Error: no_mpi where this program was built without it; device where MPI fails.
Result<std::unique_ptr<Cluster>> join();

}  // namespace edgetwin::cluster
