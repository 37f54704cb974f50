"""A hand-written PyTorch loop: python torch_loop.py CONFIG SYSTEM [compile] [bf16]"""
import sys

import torch
import torch.nn.functional as F

from common import ADAMW, CONFIGS, THREADS, Clock, batches, weights


class Gpt2(torch.nn.Module):
    """The model of runtime/model/gpt2.cpp, with PyTorch's own layers; parameters under the same names."""

    def __init__(self, name):
        super().__init__()
        self.config = CONFIGS[name]
        own = {key.replace(".", "/"): torch.from_numpy(value) for key, value in weights(name).items()}
        self.own = torch.nn.ParameterDict({key: torch.nn.Parameter(value) for key, value in own.items()})

    def p(self, key):
        return self.own[key.replace(".", "/")]

    def linear(self, x, stem):
        return F.linear(x, self.p(f"{stem}.weight"), self.p(f"{stem}.bias"))

    def norm(self, x, stem):
        return F.layer_norm(x, x.shape[-1:], self.p(f"{stem}.weight"), self.p(f"{stem}.bias"))

    def attention(self, x, stem):
        rows, cols, width = x.shape
        heads = self.config["heads"]
        qkv = self.linear(self.norm(x, f"{stem}.norm"), f"{stem}.qkv").view(rows, cols, 3, heads, width // heads)
        query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return x + self.linear(mixed.transpose(1, 2).reshape(rows, cols, width), f"{stem}.projection")

    def mlp(self, x, stem):
        up = self.linear(self.norm(x, f"{stem}.norm"), f"{stem}.up")
        return x + self.linear(F.gelu(up, approximate="tanh"), f"{stem}.down")

    def forward(self, ids, labels):
        table = self.p("embedding.token")
        x = F.embedding(ids, table) + self.p("embedding.position")[:ids.shape[1]]
        for i in range(self.config["layers"]):
            x = self.mlp(self.attention(x, f"block.{i}.attention"), f"block.{i}.mlp")
        logits = F.linear(self.norm(x, "final_norm"), table)
        return F.cross_entropy(logits.float().flatten(0, 1), labels.flatten())


def main(name, system, *options):
    torch.set_num_threads(THREADS)
    model = Gpt2(name)
    step = torch.compile(model) if "compile" in options else model
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, **ADAMW)
    pairs = [(torch.from_numpy(ids), torch.from_numpy(labels)) for ids, labels in batches(name)]
    clock = Clock(name)
    for i in range(clock.total):
        ids, labels = pairs[i % len(pairs)]
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled="bf16" in options):
            loss = step(ids, labels)
        loss.backward()
        optimizer.step()
        clock.step(loss.item())
    clock.report(system)


if __name__ == "__main__":
    main(*sys.argv[1:])
