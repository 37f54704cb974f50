"""torch.utils.checkpoint on the model of bench_recompute: python torch_checkpoint.py LAYERS

A JSON line a variant: bytes that autograd saves in forward (parameters left out, each storage once) and the CPU time
of forward and backward on one thread.
"""
import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

WIDTH, HEADS, CONTEXT, BATCH, VOCABULARY, DROPOUT = 256, 4, 256, 2, 512, 0.1
WARM_UP, MEASURED = 1, 4


def linear(out, into, std=0.02):
    made = torch.nn.Linear(into, out)
    torch.nn.init.normal_(made.weight, std=std)
    torch.nn.init.zeros_(made.bias)
    return made


class Attention(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.qkv = linear(3 * WIDTH, WIDTH)
        self.projection = linear(WIDTH, WIDTH, 0.02 / math.sqrt(2 * layers))

    def forward(self, x):
        heads = self.qkv(self.norm(x)).view(BATCH, CONTEXT, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(heads[0], heads[1], heads[2], is_causal=True)
        return x + F.dropout(self.projection(mixed.transpose(1, 2).reshape(x.shape)), DROPOUT)


class Mlp(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.up = linear(4 * WIDTH, WIDTH)
        self.down = linear(WIDTH, 4 * WIDTH, 0.02 / math.sqrt(2 * layers))

    def forward(self, x):
        return x + F.dropout(self.down(F.gelu(self.up(self.norm(x)), approximate="tanh")), DROPOUT)


class Gpt2(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.token = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.position = torch.nn.Embedding(CONTEXT, WIDTH)
        self.blocks = torch.nn.ModuleList(
            torch.nn.ModuleList((Attention(layers), Mlp(layers))) for _ in range(layers))
        self.norm = torch.nn.LayerNorm(WIDTH)

    def forward(self, ids, labels, variant):
        again = lambda f, x: checkpoint(f, x, use_reentrant=False)
        x = F.dropout(self.token(ids) + self.position.weight, DROPOUT)
        for attention, mlp in self.blocks:
            if variant == "whole blocks":
                x = again(lambda t, a=attention, m=mlp: m(a(t)), x)
            elif variant == "attention and mlp apart":
                x = again(mlp, again(attention, x))
            elif variant == "mlp only":
                x = again(mlp, attention(x))
            else:
                x = mlp(attention(x))
        logits = F.linear(self.norm(x), self.token.weight)
        return F.cross_entropy(logits.view(-1, VOCABULARY), labels.view(-1))


def held_bytes(model, batch, variant):
    parameters = {p.untyped_storage().data_ptr() for p in model.parameters()}
    seen = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in parameters:
            seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = model(*batch, variant)
    loss.backward()
    return sum(seen.values())


def cpu_ms(model, batch, variant):
    model.zero_grad(set_to_none=True)
    begun = time.thread_time()
    model(*batch, variant).backward()
    return 1e3 * (time.thread_time() - begun)


def main():
    layers = int(sys.argv[1])
    torch.set_num_threads(1)
    torch.manual_seed(7)
    model = Gpt2(layers)
    batch = [torch.randint(0, VOCABULARY, (BATCH, CONTEXT)) for _ in range(2)]
    lines = []
    for variant in ("plain", "whole blocks", "attention and mlp apart", "mlp only"):
        held = held_bytes(model, batch, variant)
        times = [cpu_ms(model, batch, variant) for _ in range(WARM_UP + MEASURED)][WARM_UP:]
        lines.append({"system": "PyTorch " + torch.__version__, "policy": variant, "layers": layers,
                      "precision": "fp32", "held_mb": held / 1e6, "cpu_ms_median": statistics.median(times),
                      "cpu_ms_min": min(times), "steps": len(times)})
    for line in lines:
        line["held_ratio"] = line["held_mb"] / lines[0]["held_mb"]
        line["time_ratio"] = line["cpu_ms_median"] / lines[0]["cpu_ms_median"]
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
