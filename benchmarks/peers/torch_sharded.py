"""Sharded training by others, over gloo on CPUs: torchrun --nproc-per-node N torch_sharded.py CONFIG fsdp2|deepspeed

fsdp2: torch.distributed's fully_shard on each block's parameters and on the rest; deepspeed: ZeRO-3 with CPUAdam and
the optimizer offloaded to host memory, its fastest way on CPUs. Both deal the batch to the ranks and report as ours do.
"""
import json
import os
import statistics
import sys

os.environ.setdefault("DS_ACCELERATOR", "cpu")
standard_output = os.dup(1)
os.dup2(2, 1)  # DeepSpeed logs to standard output; the JSON line goes to the real one

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

from common import ADAMW, CONFIGS, THREADS, Clock, batches, peak_mb  # noqa: E402
from torch_loop import Gpt2  # noqa: E402


class Block(torch.nn.Module):
    """One transformer block's parameters and its run, so that it can be sharded as one."""

    def __init__(self, whole, index):
        super().__init__()
        prefix = f"block/{index}/"
        self.heads = whole.config["heads"]
        self.own = torch.nn.ParameterDict(
            {key[len(prefix):]: value for key, value in whole.own.items() if key.startswith(prefix)})

    config = property(lambda self: {"heads": self.heads})
    linear, norm, attention, mlp = Gpt2.linear, Gpt2.norm, Gpt2.attention, Gpt2.mlp

    def p(self, key):
        return self.own[key.replace(".", "/")]

    def forward(self, x):
        return self.mlp(self.attention(x, "attention"), "mlp")


class Sharded(torch.nn.Module):
    """Gpt2 as a list of blocks and a rest: embedding, positions and the last norm."""

    def __init__(self, name):
        super().__init__()
        whole = Gpt2(name)
        self.blocks = torch.nn.ModuleList(Block(whole, i) for i in range(CONFIGS[name]["layers"]))
        self.own = torch.nn.ParameterDict(
            {key: value for key, value in whole.own.items() if not key.startswith("block/")})

    norm = Gpt2.norm

    def p(self, key):
        return self.own[key.replace(".", "/")]

    def forward(self, ids, labels):
        table = self.p("embedding.token")
        x = torch.nn.functional.embedding(ids, table) + self.p("embedding.position")[:ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = torch.nn.functional.linear(self.norm(x, "final_norm"), table)
        return torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), labels.flatten())


def with_fsdp2(model):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, **ADAMW)

    def step(ids, labels):
        optimizer.zero_grad(set_to_none=True)
        loss = model(ids, labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def with_deepspeed(model, micro_batch):
    import deepspeed

    settings = {
        "train_micro_batch_size_per_gpu": micro_batch, "gradient_accumulation_steps": 1, "gradient_clipping": 0.0,
        "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}, "overlap_comm": False,
                              "stage3_param_persistence_threshold": 10000},
        "zero_force_ds_cpu_optimizer": True, "steps_per_print": 10 ** 9,
        "optimizer": {"type": "AdamW", "params": ADAMW | {"betas": list(ADAMW["betas"])}}}
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=settings)

    def step(ids, labels):
        loss = engine(ids, labels)
        engine.backward(loss)
        engine.step()
        return loss.item()

    return step


def main(name, system):
    ranks, rank = int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"])
    os.environ.setdefault("LOCAL_SIZE", str(ranks))
    torch.set_num_threads(max(1, THREADS // ranks))
    if system == "deepspeed":
        import deepspeed

        deepspeed.init_distributed(dist_backend="gloo")
    else:
        dist.init_process_group("gloo")
    share = CONFIGS[name]["batch"] // ranks
    rows = slice(rank * share, (rank + 1) * share)
    pairs = [(torch.from_numpy(ids[rows]), torch.from_numpy(labels[rows])) for ids, labels in batches(name)]
    model = Sharded(name)
    step = with_fsdp2(model) if system == "fsdp2" else with_deepspeed(model, share)
    clock = Clock(name)
    for i in range(clock.total):
        clock.step(step(*pairs[i % len(pairs)]))
    (_, own0, _), (_, own1, _) = clock.readings
    totals = torch.tensor([peak_mb(), own1 - own0, *clock.losses], dtype=torch.float64)
    dist.all_reduce(totals)
    totals /= ranks
    if rank == 0:
        laps = clock.step_ms[clock.warm_up:]
        median = statistics.median(laps)
        line = {"benchmark": "zero3", "system": {"fsdp2": "PyTorch FSDP2", "deepspeed": "DeepSpeed ZeRO-3"}[system],
                "config": name, "ranks": ranks,
                "tokens_per_s": CONFIGS[name]["batch"] * CONFIGS[name]["context"] / median * 1e3,
                "step_ms_median": median, "step_ms_min": min(laps), "steps": len(laps),
                "cpu_ms_per_step": 1e3 * ranks * totals[1].item() / len(laps),
                "peak_rss_mb_a_rank": totals[0].item(), "loss_first": totals[2].item(), "loss_last": totals[-1].item()}
        os.write(standard_output, (json.dumps(line) + "\n").encode())
    dist.barrier()
    os._exit(0)  # threads of DeepSpeed's outlive the interpreter's end and abort it


if __name__ == "__main__":
    main(*sys.argv[1:])
