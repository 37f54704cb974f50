"""From a run folder to a table."""
import importlib.util
import json
import os
import tempfile
import unittest

from readings import mover, read_decisions, read_run, translations
from report import cost_rows, decision_rows, final_rows


def run(arm, seed, losses, step=1.0):
    places = range(1, len(losses) + 1)
    return {"arm": arm, "seed": seed, "losses": losses, "tokens": [100 * i for i in places], "lr": 0.004,
            "cpu": [step * i for i in places], "wall": [2 * step * i for i in places], "scoring": [0.5, 0.25],
            "decisions": {"inner down": 2 * seed}, "mean_threshold": 0.5, "median_spread": 0.4}


class Report(unittest.TestCase):
    def test_costs_are_ratios_to_the_baseline_and_seeds_that_never_arrive_are_counted(self):
        results = [run("fixed_linear", 1, [4.0, 3.0, 2.0, 1.0]), run("dual_loop", 1, [3.0, 1.0, 1.0, 1.0]),
                   run("fixed_linear", 2, [4.0, 3.0, 2.0, 1.0]), run("dual_loop", 2, [4.0, 3.5, 3.0, 2.5])]
        rows = cost_rows(results, "tokens")
        self.assertEqual(rows[0], ["fixed_linear"] + ["1.00x [1.00x, 1.00x]"] * 4)
        self.assertEqual(rows[1][1], "1.33x [0.67x, 2.00x]")  # to loss 3: 100 and 300 tokens, where it takes 200
        self.assertEqual(rows[1][4], "2.00x (1 never)")
        self.assertEqual(cost_rows(results, "cpu")[1][4], "2.00x (1 never)")

    def test_differences_are_paired(self):
        results = [run("fixed_linear", 1, [2.0]), run("fixed_linear", 2, [4.0]), run("random", 1, [2.5]),
                   run("random", 2, [4.5])]
        rows = final_rows(["random", "fixed_linear"], results)
        self.assertEqual(rows[0][1:4], ["3.5000", "+0.5000 [+0.5000, +0.5000]", "0.004"])
        self.assertEqual(decision_rows(["random"], results)[0], ["random", "0.50", "0.40", "inner down 3.0"])

    def test_a_run_folder_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(folder + "/logs")
            with open(folder + "/logs/rank-0.log", "w", encoding="utf-8") as out:
                out.write("info  scored 4880 samples by tfidf in 0.75 s, 0.5 s of CPU time\n")
            step = {"tokens": 10, "seconds": 2.0, "cpu_seconds": 1.0, "curriculum_dual_loop.threshold": 0.4,
                    "curriculum_dual_loop.loss_std": 0.3}
            evaluation = {"event": "evaluation", "eval_loss": 5.0, "seconds": 0.1}
            with open(folder + "/metrics.jsonl", "w", encoding="utf-8") as out:
                out.writelines(json.dumps(line) + "\n" for line in (step, step, evaluation, step, evaluation))
            moves = [("difficulty_threshold", "inner loop: standard deviation", 0.5, 0.45),
                     ("difficulty_threshold", "outer loop: validation accuracy", 0.4, 0.5),
                     ("review", "standard deviation", 0.0, 0.2)]
            with open(folder + "/decisions.jsonl", "w", encoding="utf-8") as out:
                for what, cause, before, after in moves:
                    out.write(json.dumps({"plugin": "curriculum_dual_loop", "what": what, "cause": cause,
                                          "from": before, "to": after}) + "\n")
            read = read_run(folder)
            self.assertEqual(read["tokens"], [20, 30])
            self.assertEqual(read["wall"], [4.75, 6.75])
            self.assertEqual(read["cpu"], [2.5, 3.5])
            self.assertEqual(read["scoring"], [0.75, 0.5])
            self.assertEqual(read_decisions(folder), {"inner down": 1, "outer up": 1, "review": 1})

    def test_each_move_has_a_mover(self):
        self.assertEqual(mover("the last 10% of the run are over all samples"), "release")
        self.assertEqual(mover("the warm-up ends"), "warm-up")
        self.assertEqual(mover("stairs: 10 steps done"), "pacing")

    @unittest.skipUnless(importlib.util.find_spec("sacrebleu"), "needs sacrebleu")
    def test_translations_are_what_stands_behind_their_prompt(self):
        pairs = [{"prompt": "Speichert das Dokument.\n", "response": "将文档保存在当前文件夹中。"},
                 {"prompt": "Schließt das Fenster.\n", "response": "关闭当前窗口并返回文档。"}]
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(folder + "/logs")
            for said, perfect in (([row["response"] for row in pairs], True), (["", "窗口"], False)):
                with open(folder + "/logs/rank-0.log", "w", encoding="utf-8") as out:
                    for row, text in zip(pairs, said):
                        out.write(f"2026-01-01 rank 0 info  sample: {row['prompt']}{text}\n")
                scores = translations(folder, pairs)
                for score in scores.values():
                    (self.assertAlmostEqual if perfect else self.assertLess)(score, 100)


if __name__ == "__main__":
    unittest.main()
