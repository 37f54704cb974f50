// Ranks as threads of one process: mailboxes in shared memory.
#pragma once
#include <memory>

#include "comm/transport.h"

namespace sz {

class ThreadWorld;  // what all ranks share

std::shared_ptr<ThreadWorld> make_thread_world(int ranks);
std::unique_ptr<Transport> make_thread_transport(std::shared_ptr<ThreadWorld> world, int rank);

}  // namespace sz
