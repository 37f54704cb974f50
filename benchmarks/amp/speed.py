"""Speed and memory of mixed precision beside PyTorch's autocast; the requirements' claims beside what is seen."""
import json
import pathlib
import shutil
import statistics
import sys
import tempfile

import run as common

PYTORCH, BF16_PEER, FP16_PEER = "PyTorch fp32", "PyTorch autocast bf16", "PyTorch autocast fp16 + GradScaler"
OURS = ("fp32", "O1-fp16", "O1-bf16", "O2-fp16", "O2-bf16")


def cases(config, work, options, first_round):
    for precision in OURS:
        yield precision, [options.bin / "bench_train_step", work / f"{config}.json", work / f"{config}.safetensors",
                          precision]
    if not common.PYTHON.exists():
        return
    amp = [common.PYTHON, "-B", common.PEERS / "torch_amp.py", config]
    yield PYTORCH, [common.PYTHON, "-B", common.PEERS / "torch_loop.py", config, "PyTorch"]
    yield BF16_PEER, [*amp, "PyTorch, autocast bf16", "bf16"]
    if options.slow_peers and first_round:  # once, and a few steps
        yield FP16_PEER, [*amp, "PyTorch, autocast fp16", "fp16", 1, 2]


def measure(options):
    """{(config, case): rows}, each row printed as it comes."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="bench-amp-"))
    rows = {}
    for config in options.configs:
        common.write_inputs(config, work)
        for turn in range(options.rounds):
            for name, command in cases(config, work, options, turn == 0):
                for row in common.run_quietly(command, {}, work, options.wait):
                    print(json.dumps({"case": name} | row), flush=True)
                    rows.setdefault((config, name), []).append(row)
    shutil.rmtree(work)
    return rows


def median(rows, key):
    values = [row[key] for row in rows if key in row]
    return statistics.median(values) if values else float("nan")


class Table:
    """One config's medians."""

    def __init__(self, config, rows):
        self.config, self.rows = config, rows

    def of(self, case, key):
        return median(self.rows.get(case, []), key)

    def ratio(self, case, other, key):
        return self.of(case, key) / self.of(other, key)

    def routes(self, case):
        """Of fp32 products, as our programs measured them; a busy machine may mislead that."""
        return sorted({row["matrix_route"] for row in self.rows[case] if "matrix_route" in row})

    def show(self):
        print(f"\n| config {self.config} | tokens/s | of our fp32 | of PyTorch fp32 | CPU ms a step | peak RSS MB | "
              "peak tensors MB | last loss | steps | others' CPU % | fp32 route |")
        print("|" + "---|" * 11)
        for case in self.rows:
            cells = [f"{self.of(case, 'tokens_per_s'):.0f}", f"{self.ratio(case, 'fp32', 'tokens_per_s'):.2f}",
                     f"{self.ratio(case, PYTORCH, 'tokens_per_s'):.2f}", f"{self.of(case, 'cpu_ms_per_step'):.0f}",
                     f"{self.of(case, 'peak_rss_mb'):.0f}", f"{self.of(case, 'peak_tensor_mb'):.0f}",
                     f"{self.of(case, 'loss_last'):.4f}", f"{self.of(case, 'steps'):.0f}",
                     f"{self.of(case, 'other_cpu_pct'):.0f}", ", ".join(self.routes(case))]
            print(f"| {case} | " + " | ".join("" if cell == "nan" else cell for cell in cells) + " |")

    def claims(self, bf16_units):
        """Lines of (what, said, seen), those that were measured."""
        speed, cpu, memory, rss = "tokens_per_s", "cpu_ms_per_step", "peak_tensor_mb", "peak_rss_mb"
        goal = "goal 1.5" if bf16_units else "no goal: this CPU lacks AVX-512-BF16"
        lines = [("O2 bf16 to PyTorch's bf16 autocast, speed", goal, self.ratio("O2-bf16", BF16_PEER, speed)),
                 ("same, CPU time saved", goal, self.ratio(BF16_PEER, "O2-bf16", cpu)),
                 ("O2 fp16 to PyTorch's fp32, speed", "goal 1.0", self.ratio("O2-fp16", PYTORCH, speed)),
                 ("same, CPU time saved", "goal 1.0", self.ratio(PYTORCH, "O2-fp16", cpu)),
                 ("O2 fp16 to PyTorch's fp16 autocast, speed", "-", self.ratio("O2-fp16", FP16_PEER, speed)),
                 ("O2 bf16 to O2 fp16, speed", "claimed 1.08", self.ratio("O2-bf16", "O2-fp16", speed)),
                 ("O2 bf16 to O2 fp16, peak bytes of tensors", "claimed < 1.05",
                  self.ratio("O2-bf16", "O2-fp16", memory)),
                 ("O2 fp16 to fp32, peak bytes of tensors", "claimed 0.55 to 0.60",
                  self.ratio("O2-fp16", "fp32", memory)),
                 ("O2 bf16 to fp32, peak bytes of tensors", "claimed 0.55 to 0.60",
                  self.ratio("O2-bf16", "fp32", memory)),
                 ("O2 fp16 to PyTorch's fp32, peak RSS", "claimed 0.55 to 0.60", self.ratio("O2-fp16", PYTORCH, rss))]
        return [line for line in lines if line[2] == line[2]]


def has_bf16_units():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return "avx512_bf16" in file.read()


def speed(options):
    if not common.PYTHON.exists():
        print("no peers: scripts/peers.sh fetches PyTorch", file=sys.stderr)
    rows = measure(options)
    tables = [Table(config, {name: found for (of, name), found in rows.items() if of == config})
              for config in options.configs]
    for table in tables:
        table.show()
    print("\n| config | ratio of | claimed or wanted | seen |\n|---|---|---|---|")
    for table in tables:
        for what, said, seen in table.claims(has_bf16_units()):
            print(f"| {table.config} | {what} | {said} | {seen:.2f} |")
    missing = [f"{table.config}/{case}" for table in tables for case in OURS if case not in table.rows]
    if missing:
        print("no row of " + ", ".join(missing), file=sys.stderr)
    return 1 if missing else 0
