"""All-reduce by torch.distributed's gloo: torchrun --nproc-per-node 2 gloo.py; lines as those of bench_comm."""
import json
import statistics
import time

import torch
import torch.distributed as dist

SIZES = [1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20]

dist.init_process_group("gloo")
torch.set_num_threads(1)
for size in SIZES:
    data = torch.ones(size // 4)
    dist.all_reduce(data)
    assert data[0] == dist.get_world_size()
    data.zero_()
    calls, laps = max(3, int(0.05 / (20e-6 + size / 1e9))), []
    for _ in range(9):
        begun = time.perf_counter()
        for _ in range(calls):
            dist.all_reduce(data)
        laps.append((time.perf_counter() - begun) / calls)
    if dist.get_rank() == 0:
        median = statistics.median(laps)
        print(json.dumps({"benchmark": "comm", "system": "gloo", "ranks": dist.get_world_size(), "bytes": size,
                          "us_median": 1e6 * median, "gb_per_s": size / median / 1e9}), flush=True)
dist.destroy_process_group()
