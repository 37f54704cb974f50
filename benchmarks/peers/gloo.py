"""Collectives by torch.distributed's gloo: torchrun --nproc-per-node 2 gloo.py; lines as those of bench_comm."""
import json
import statistics
import sys
import time

import torch
import torch.distributed as dist

SIZES = [1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20]


def operations(data):
    """{name: a call on `data`, which has a part for each rank}"""
    part = data.chunk(dist.get_world_size())[dist.get_rank()].clone()
    return {"all-reduce": lambda: dist.all_reduce(data),
            "all-gather": lambda: dist.all_gather_into_tensor(data, part),
            "reduce-scatter": lambda: dist.reduce_scatter_tensor(part, data)}


def measure(name, size):
    data = torch.ones(size // 4)
    call = operations(data)[name]
    call()
    data.zero_()
    calls, laps = max(3, int(0.05 / (200e-6 + size / 1e9))), []  # of 0.05 s, about
    for _ in range(9):
        begun = time.perf_counter()
        for _ in range(calls):
            call()
        laps.append((time.perf_counter() - begun) / calls)
    if dist.get_rank() == 0:
        median = statistics.median(laps)
        print(json.dumps({"benchmark": "comm", "system": "gloo", "operation": name, "ranks": dist.get_world_size(),
                          "bytes": size, "us_median": 1e6 * median, "gb_per_s": size / median / 1e9}), flush=True)


dist.init_process_group("gloo")
torch.set_num_threads(1)
for operation in operations(torch.ones(dist.get_world_size())):
    try:
        for bytes_of_all in SIZES:
            measure(operation, bytes_of_all)
    except RuntimeError as error:  # an operation that gloo has not
        print(f"gloo: no {operation}: {error}", file=sys.stderr)
dist.destroy_process_group()
