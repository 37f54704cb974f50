"""Signals: a stop lets ranks save, a second one kills, SIGUSR1 asks for a checkpoint."""
import os
import signal
import time
import unittest

from launched import LIMIT, LauncherTest


class StopTest(LauncherTest):
    def stop_with(self, number, *actions):
        process = self.start_ranks(len(actions), *actions)
        process.send_signal(number)
        output, errors = process.communicate(timeout=LIMIT)
        self.assert_nothing_left(len(actions))
        return process.returncode, errors

    def test_sigterm_lets_ranks_save(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 save", "1 save")
        self.assertEqual(code, 143, errors)
        self.assertIn("the ranks saved their state", errors)

    def test_sigint_is_130(self):
        code, errors = self.stop_with(signal.SIGINT, "0 save", "1 save")
        self.assertEqual(code, 130, errors)
        self.assertIn("the ranks saved their state", errors)

    def test_hang_up_is_a_stop(self):
        code, errors = self.stop_with(signal.SIGHUP, "0 save", "1 save")
        self.assertEqual(code, 143, errors)
        self.assertIn("the ranks saved their state", errors)

    def test_nohup_is_respected(self):
        process = self.start_ranks(2, "0 save", "1 save", before=["nohup"])
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGUSR1)  # heard after it
        while (line := process.stdout.readline()) != "saving on request\n":
            self.assertTrue(line, "szlaunch ended")
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143, errors)

    def test_sigusr1_asks_to_save_and_the_run_goes_on(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                process = self.start_ranks(ranks, *[f"{rank} save" for rank in range(ranks)])
                for _ in range(2):
                    process.send_signal(signal.SIGUSR1)
                    while (line := process.stdout.readline()) != "saving on request\n":
                        self.assertTrue(line, "szlaunch ended")
                process.send_signal(signal.SIGTERM)
                output, errors = process.communicate(timeout=LIMIT)
                self.assertEqual(process.returncode, 143, errors)
                self.assertNotIn("saving on request", output, "one rank asks for all")
                self.assert_nothing_left(ranks)

    def test_sigusr1_before_a_rank_can_save_is_harmless(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                process = self.start_ranks(ranks, *[f"{rank} finish" for rank in range(ranks)])
                process.send_signal(signal.SIGUSR1)
                process.send_signal(signal.SIGTERM)
                _, errors = process.communicate(timeout=LIMIT)
                self.assertEqual(process.returncode, 0, errors)

    def test_a_stop_in_preparation_saved_nothing(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 prepare", "1 load")
        self.assertEqual(code, 143, errors)
        self.assertNotIn("saved their state", errors)
        code, errors = self.stop_with(signal.SIGINT, "0 prepare", "1 prepare")
        self.assertEqual(code, 130, errors)
        self.assertIn("interrupted (SIGINT); data: stopped while preparing; nothing of it is kept\n", errors)

    def test_the_others_that_an_ending_rank_ends_are_not_lost(self):
        for first, second in (("0 prepare", "1 stubborn"), ("0 stubborn", "1 prepare")):
            code, errors = self.stop_with(signal.SIGTERM, first, second)
            self.assertEqual(code, 143, errors)
            self.assertIn("nothing of it is kept", errors)

    def test_a_stop_while_ranks_load(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 load", "1 load")
        self.assertEqual(code, 143, errors)
        self.assertIn("asked to stop (SIGTERM) before training began", errors)

    def test_a_run_that_was_done_before_it_could_stop(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 finish", "1 finish")
        self.assertEqual(code, 0, errors)
        self.assertIn("done before it could stop", errors)

    def test_a_burst_of_signals_is_one_request(self):
        process = self.start_ranks(2, "0 save", "1 save")
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            process.send_signal(number)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertIn(process.returncode, (130, 143), errors)
        self.assertIn("the ranks saved their state", errors)

    def test_error_while_saving_wins(self):
        self.config.write_text("")
        process = self.start_ranks(2, "0 save", "1 stubborn")
        process.send_signal(signal.SIGTERM)
        os.kill(self.pid(1), signal.SIGKILL)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 7, errors)
        self.assert_nothing_left(2)

    def test_second_signal_kills(self):
        process = self.start_ranks(2, "0 stubborn", "1 stubborn")
        process.send_signal(signal.SIGTERM)
        while "once more" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        time.sleep(0.6)  # within half a second it is the same request
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143, errors)
        self.assertIn("killed", errors)
        self.assert_nothing_left(2)

    def test_one_rank_gets_the_signal_itself(self):
        code, errors = self.stop_with(signal.SIGTERM, "0 save")
        self.assertEqual(code, 143, errors)
        self.assertNotIn("szlaunch:", errors)

    def test_ranks_stopped_by_somebody_else(self):
        process = self.start_ranks(2, "0 save", "1 save")
        for rank in (0, 1):
            os.kill(self.pid(rank), signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 143, errors)


if __name__ == "__main__":
    unittest.main()
