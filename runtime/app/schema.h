// Every key of the runtime's own tables, with type, default, range and help: the one place where they are named.
#pragma once
#include "base/config.h"

namespace sz {

Schema runtime_schema();

}  // namespace sz
