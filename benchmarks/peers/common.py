"""What every peer shares: sizes, batches, first weights, the clock and the JSON line.

All systems start from the same weights, see the same batches in turn and use the same AdamW (decay on every
parameter), so that their fp32 losses must agree: run.py refuses a row whose losses don't.

  python common.py CONFIG FOLDER    writes FOLDER/CONFIG.json and FOLDER/CONFIG.safetensors, which our program reads
"""
import json
import os
import statistics
import sys
import time

import numpy as np

# A: about 90 MFLOP a token; B: 8.6. Steps: (warm-up, measured).
CONFIGS = {
    "A": dict(layers=6, width=384, heads=6, context=256, vocabulary=8192, batch=8, steps=(2, 8)),
    "B": dict(layers=4, width=128, heads=4, context=128, vocabulary=4096, batch=16, steps=(5, 20)),
}
if "BENCH_STEPS" in os.environ:
    for config in CONFIGS.values():
        config["steps"] = tuple(map(int, os.environ["BENCH_STEPS"].split(",")))
BATCHES = 2
ADAMW = dict(lr=6e-4, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
THREADS = int(os.environ.get("BENCH_THREADS", 2))


def batches(name):
    """`BATCHES` pairs (ids, labels), each [batch, context] int64: a random stream and the same one token on."""
    c = CONFIGS[name]
    size = c["batch"] * c["context"]
    stream = np.random.default_rng(11).integers(0, c["vocabulary"], BATCHES * size + 1)
    return [(stream[i * size:(i + 1) * size].reshape(c["batch"], -1),
             stream[i * size + 1:(i + 1) * size + 1].reshape(c["batch"], -1)) for i in range(BATCHES)]


def weights(name):
    """GPT-2's first weights by our names, fp32; matrices are [out, in]."""
    c = CONFIGS[name]
    width, draws = c["width"], np.random.default_rng(12)

    def normal(*shape, std=0.02):
        return (std * draws.standard_normal(shape)).astype(np.float32)

    made = {"embedding.token": normal(c["vocabulary"], width), "embedding.position": normal(c["context"], width)}

    def norm(stem):
        made[f"{stem}.weight"], made[f"{stem}.bias"] = np.ones(width, np.float32), np.zeros(width, np.float32)

    def linear(stem, out, into, std=0.02):
        made[f"{stem}.weight"], made[f"{stem}.bias"] = normal(out, into, std=std), np.zeros(out, np.float32)

    residual = 0.02 / (2 * c["layers"]) ** 0.5
    for i in range(c["layers"]):
        norm(f"block.{i}.attention.norm")
        linear(f"block.{i}.attention.qkv", 3 * width, width)
        linear(f"block.{i}.attention.projection", width, width, residual)
        norm(f"block.{i}.mlp.norm")
        linear(f"block.{i}.mlp.up", 4 * width, width)
        linear(f"block.{i}.mlp.down", width, 4 * width, residual)
    norm("final_norm")
    return made


def write_inputs(name, folder):
    """For our program, in safetensors' format: a length, a JSON header, the bytes."""
    c = CONFIGS[name]
    warm_up, measured = c["steps"]
    config = {key: value for key, value in c.items() if key != "steps"}
    config |= {"name": name, "threads": THREADS, "warm_up": warm_up, "measured": measured}
    with open(f"{folder}/{name}.json", "w") as file:
        json.dump(config, file)
    pairs = batches(name)
    tensors = weights(name) | {"ids": np.concatenate([ids for ids, _ in pairs]),
                               "labels": np.concatenate([labels for _, labels in pairs])}
    header, at = {}, 0
    for key, value in tensors.items():
        header[key] = {"dtype": "I64" if value.dtype == np.int64 else "F32", "shape": list(value.shape),
                       "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(f"{folder}/{name}.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for value in tensors.values():
            file.write(value.tobytes())


def machine_seconds():
    """CPU seconds that the machine has worked, all cores together."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, *rest = map(int, file.readline().split()[1:9])
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


def peak_mb():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM:"))


class Clock:
    """Times steps from one end to the next."""

    def __init__(self, name):
        self.name, (self.warm_up, self.measured) = name, CONFIGS[name]["steps"]
        self.total = self.warm_up + self.measured
        self.step_ms, self.losses, self.readings, self.first_step = [], [], [], None
        self.last = time.perf_counter()

    def step(self, loss):
        now = time.perf_counter()
        self.step_ms.append(1e3 * (now - self.last))
        self.losses.append(float(loss))
        self.last = now
        if self.first_step is None:
            self.first_step = time.time()
        if len(self.step_ms) in (self.warm_up, self.total):
            self.readings.append((machine_seconds(), time.process_time(), now))

    def report(self, system):
        c, laps = CONFIGS[self.name], self.step_ms[self.warm_up:]
        median, quarters = statistics.median(laps), statistics.quantiles(laps, n=4)
        (busy0, own0, t0), (busy1, own1, t1) = self.readings
        others = max(0.0, (busy1 - busy0) - (own1 - own0)) / ((t1 - t0) * os.cpu_count())
        print(json.dumps({
            "system": system, "config": self.name, "threads": THREADS,
            "tokens_per_s": c["batch"] * c["context"] / median * 1e3, "step_ms_median": median,
            "step_ms_min": min(laps), "step_ms_iqr": quarters[2] - quarters[0], "steps": len(laps),
            "cpu_ms_per_step": 1e3 * (own1 - own0) / len(laps),
            "peak_rss_mb": peak_mb(), "startup_s": self.first_step - float(os.environ.get("BENCH_T0", "nan")),
            "loss_first": self.losses[0], "loss_last": self.losses[-1], "other_cpu_pct": 100 * others}))


if __name__ == "__main__":
    write_inputs(sys.argv[1], sys.argv[2])
