/* Offsets, checked by the compiler. Made by abi.py update; see README.md above. */
#include <sz/host/comm.h>

_Static_assert(offsetof(struct sz_work_times, posted) == 0, "sz_work_times.posted");
_Static_assert(offsetof(struct sz_work_times, started) == 8, "sz_work_times.started");
_Static_assert(offsetof(struct sz_work_times, finished) == 16, "sz_work_times.finished");
_Static_assert(sizeof(struct sz_work_times) == 24, "sz_work_times");

_Static_assert(offsetof(struct sz_comm, struct_size) == 0, "sz_comm.struct_size");
_Static_assert(offsetof(struct sz_comm, reserved) == 4, "sz_comm.reserved");
_Static_assert(offsetof(struct sz_comm, rank) == 8, "sz_comm.rank");
_Static_assert(offsetof(struct sz_comm, size) == 16, "sz_comm.size");
_Static_assert(offsetof(struct sz_comm, all_reduce) == 24, "sz_comm.all_reduce");
_Static_assert(offsetof(struct sz_comm, reduce_scatter) == 32, "sz_comm.reduce_scatter");
_Static_assert(offsetof(struct sz_comm, all_gather) == 40, "sz_comm.all_gather");
_Static_assert(offsetof(struct sz_comm, broadcast) == 48, "sz_comm.broadcast");
_Static_assert(offsetof(struct sz_comm, wait) == 56, "sz_comm.wait");
_Static_assert(offsetof(struct sz_comm, done) == 64, "sz_comm.done");
_Static_assert(sizeof(struct sz_comm) == 72, "sz_comm");
