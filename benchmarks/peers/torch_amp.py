"""PyTorch's own mixed precision: python torch_amp.py CONFIG SYSTEM bf16|fp16 [WARM_UP MEASURED]

autocast of fp32 parameters, with GradScaler in fp16, as PyTorch's documentation has it. CPUs without fp16 arithmetic
take half a minute a step in fp16 at config A: a few steps do there.
"""
import sys

import torch

from common import ADAMW, CONFIGS, THREADS, Clock, batches
from torch_loop import Gpt2


def main(name, system, dtype, *steps):
    if steps:
        CONFIGS[name]["steps"] = tuple(map(int, steps))
    torch.set_num_threads(THREADS)
    model = Gpt2(name)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, **ADAMW)
    scaler = torch.amp.GradScaler("cpu", init_scale=4096.0, enabled=dtype == "fp16")
    low = torch.float16 if dtype == "fp16" else torch.bfloat16
    pairs = [(torch.from_numpy(ids), torch.from_numpy(labels)) for ids, labels in batches(name)]
    clock = Clock(name)
    for i in range(clock.total):
        ids, labels = pairs[i % len(pairs)]
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", low):
            loss = model(ids, labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        clock.step(loss.item())
    clock.report(system)


if __name__ == "__main__":
    main(*sys.argv[1:])
