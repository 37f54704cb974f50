// The operations of Communicator, one maker each. The buffers are lent until the operation is destroyed.
#pragma once
#include <cstddef>
#include <memory>

#include "base/dtype.h"
#include "comm/collective.h"

namespace sz {

std::unique_ptr<Collective> make_all_reduce(void* data, size_t count, DType dtype);
std::unique_ptr<Collective> make_reduce_scatter(const void* in, void* out, size_t count, DType dtype);
std::unique_ptr<Collective> make_all_gather(const void* in, void* out, size_t bytes);
std::unique_ptr<Collective> make_broadcast(void* data, size_t bytes, int root);
std::unique_ptr<Collective> make_barrier();

// A rank's share of a buffer that is cut into one part a rank. Parts are whole multiples of `alignment`
// except where the buffer ends; late ranks' parts may be empty.
struct Part {
  size_t first;
  size_t count;
};
Part part_of(size_t count, int parts, int index, size_t alignment);

}  // namespace sz
