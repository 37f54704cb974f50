// Ranks as MPI processes. All MPI calls, MPI_Init_thread and MPI_Finalize too, come from the thread that
// constructs it, the communication thread.
#pragma once
#include <memory>

#include "comm/transport.h"

namespace sz {

// Initialises MPI; once a process. Throws Error(kComm). Messages above max_message_bytes (at most 2^31 - 1)
// are cut. close() finalises MPI, or after an abort ends the process by MPI_Abort with exit code 7.
std::unique_ptr<Transport> make_mpi_transport(size_t max_message_bytes);

}  // namespace sz
