// Communicator over an engine: checks arguments and builds the operations.
#pragma once
#include <memory>

#include "comm/engine.h"

namespace sz {

std::unique_ptr<Communicator> make_engine_communicator(Engine::TransportFactory factory, const CommOptions& options);

}  // namespace sz
