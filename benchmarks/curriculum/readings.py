"""What a run folder tells: curves of cost and loss, what the curriculum decided, translations."""
import collections
import json
import re


def read_log(folder):
    with open(f"{folder}/logs/rank-0.log", encoding="utf-8") as log:
        return log.read()


def read_run(folder):
    """Curves over the evaluations: tokens, wall and CPU seconds of the steps before, each with what scoring took."""
    tokens = 0
    scored = re.findall(r"scored .* in ([0-9.e+-]+) s, ([0-9.e+-]+) s of CPU time", read_log(folder))
    scoring = [sum(float(pair[i]) for pair in scored) for i in range(2)]
    wall, cpu = scoring
    out = {"tokens": [], "wall": [], "cpu": [], "losses": [], "scoring": scoring, "evaluation_seconds": 0.0}
    thresholds, spreads = [], []
    with open(f"{folder}/metrics.jsonl", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if line.get("event") == "evaluation":
                for curve, value in (("tokens", tokens), ("wall", wall), ("cpu", cpu), ("losses", line["eval_loss"])):
                    out[curve].append(value)
                out["evaluation_seconds"] = line["seconds"]
                continue
            tokens += line["tokens"]
            wall += line["seconds"]
            cpu += line["cpu_seconds"]
            thresholds.append(line["curriculum_dual_loop.threshold"])
            spreads.append(line["curriculum_dual_loop.loss_std"])
    out["mean_threshold"] = sum(thresholds) / len(thresholds)
    spreads = sorted(value for value in spreads if value is not None)
    out["median_spread"] = spreads[len(spreads) // 2] if spreads else None
    return out


MOVERS = {"inner loop": "inner", "outer loop": "outer", "schedule": "schedule", "warm-up": "warm-up",
          "the warm-up": "warm-up", "the last": "release", "gradient_instability": "instability"}


def mover(cause):
    return next((name for start, name in MOVERS.items() if cause.startswith(start)), "pacing")


def read_decisions(folder):
    """How often the curriculum decided what; moves of the threshold by what caused them."""
    counts = collections.Counter()
    with open(f"{folder}/decisions.jsonl", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if line["plugin"] != "curriculum_dual_loop":
                continue
            if line["what"] == "difficulty_threshold":
                counts[mover(line["cause"]) + (" up" if line["to"] > line["from"] else " down")] += 1
            else:
                counts[line["what"]] += 1
    return dict(counts)


def translations(folder, pairs):
    """chrF and BLEU, by sacrebleu, of what the trained model wrote behind each test prompt."""
    import sacrebleu

    log = read_log(folder)
    said = []
    for row in pairs:
        at = log.find("sample: " + row["prompt"])
        if at < 0:
            raise SystemExit(f"{folder}: no continuation of {row['prompt']!r} in its log")
        said.append(log[at + len("sample: " + row["prompt"]):].split("\n")[0])
    references = [[row["response"] for row in pairs]]
    return {"chrf": sacrebleu.corpus_chrf(said, references).score,
            "bleu": sacrebleu.corpus_bleu(said, references, tokenize="zh").score}
