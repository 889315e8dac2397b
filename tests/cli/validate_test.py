#!/usr/bin/env python3
"""What `gdr validate` says of published numbers, and of a data file that is damaged.

    validate_test.py GDR PROJECT
"""

import json
import pathlib
import sys
import unittest

import cli_test


class Validate(cli_test.CliTest):
    whole = None  # page and rows that one run over all rows gave, which takes half a minute

    def page_and_rows(self):
        if Validate.whole is None:
            report = self.scratch / "report.json"
            page = self.succeeds("validate", "--markdown", "--json", report).out
            Validate.whole = page, self.by_name(report.read_text(encoding="utf-8"))
        return Validate.whole

    def rows(self, *arguments, **options):
        if not arguments and not options:
            return self.page_and_rows()[1]
        outcome = cli_test.gdr("validate", "--json", "-", *arguments, **options)
        self.assertIn(outcome.status, (0, 1), outcome.err)
        return self.by_name(outcome.out)

    @staticmethod
    def by_name(report):
        return {row["id"]: row for row in json.loads(report)["rows"]}

    def own_data(self, change):
        """A data directory like the project's, with docs/validation.toml changed."""
        data = self.scratch / "data"
        (data / "docs").mkdir(parents=True)
        for folder in ("kernels", "machines"):
            (data / folder).symlink_to(cli_test.PROJECT / folder)
        text = (cli_test.PROJECT / "docs/validation.toml").read_text(encoding="utf-8")
        changed = change(text)
        self.assertNotEqual(changed, text)
        (data / "docs/validation.toml").write_text(changed, encoding="utf-8")
        return data

    def test_page_is_the_output_of_the_command(self):
        page = (cli_test.PROJECT / "docs/validation.md").read_text(encoding="utf-8")
        self.assertEqual(self.page_and_rows()[0], page)

    def test_every_row_has_the_fields_and_a_verdict_that_its_bar_gives(self):
        rows = self.rows()
        for number in range(1, 15):
            self.assertTrue(any(name.split(".")[0] == f"G{number}" for name in rows), number)
        for row in rows.values():
            for field in ("id", "source", "published", "ours", "error", "role", "bar", "pass"):
                self.assertIn(field, row)
            if row["ours"] is None:
                self.assertIsNone(row["pass"], row)
                self.assertIsNone(row["error"], row)
            elif row["misprint"]:
                self.assertIsNone(row["pass"], row)
            elif row["bar"]["kind"] == "relative" and row["verified"]:
                near = abs(row["ours"] / row["published"] - 1) <= row["bar"]["limit"]
                self.assertEqual(row["pass"], near, row)
            elif row["bar"]["kind"] == "none":
                self.assertIsNone(row["pass"], row)

    def test_figures_that_nobody_could_verify_never_pass(self):
        unverified = [row for row in self.rows().values() if not row["verified"]]
        self.assertTrue(any(row["ours"] is not None for row in unverified))
        for row in unverified:
            self.assertIsNone(row["pass"], row)

    def test_static_rows_follow_from_the_listing(self):
        rows = self.rows()
        for name, kernel in (("G1.paper", "gravity_jerk_2009"), ("G1.packed", "gravity_jerk"),
                             ("G13.gravity.lines", "gravity")):
            report = json.loads(self.succeeds("as", cli_test.PROJECT / f"kernels/{kernel}.vsm", "--json", "-").out)
            self.assertEqual(rows[name]["ours"], report["lines"]["loop_body"], kernel)
        self.assertEqual(rows["G2.clocks"]["ours"], 4 * rows["G1.paper"]["ours"])

    def test_only_chooses_a_row_with_its_parts(self):
        self.assertEqual(list(self.rows("--only", "G14")), ["G14"])
        parts = self.rows("--only", "G5.ip")
        self.assertTrue(len(parts) > 1 and all(name.startswith("G5.ip.") for name in parts))
        self.assertTrue(all(name.split(".")[0] == "G1" for name in self.rows("--only", "G1")))

    def test_the_page_counts_what_is_beyond_its_bar(self):
        page = (cli_test.PROJECT / "docs/validation.md").read_text(encoding="utf-8")
        beyond = sum(row["pass"] is False for row in self.rows().values())
        self.assertIn(f" {beyond} beyond it", page)
        errors = sorted(abs(row["error"]) for row in self.rows().values()
                        if row["role"] == "prediction" and row["verified"] and row["error"] is not None)
        median = (errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) / 2
        self.assertIn(f"median error of {len(errors)} predicted numbers {100 * median:.2g} %", page)

    def test_a_row_without_a_bar_says_why(self):
        row = ('[[row]]\nid = "X"\nsection = "grape-dr"\nsource = "koike2009"\nquantity = "q"\nrole = "consistency"\n'
               'bar = { kind = "none" }\n')
        self.ends(1, ["row X", "note"], "validate", data=self.own_data(lambda text: text + row))

    def test_strict_ends_with_1_if_a_row_misses_its_bar(self):
        self.assertEqual(cli_test.gdr("validate", "--strict", "--only", "G8").status, 1)
        data = self.own_data(lambda text: text.replace("published = 1.54e7", "published = 9e7"))
        self.assertEqual(cli_test.gdr("validate", "--only", "G14", data=data).status, 0)
        self.assertIs(self.rows("--only", "G14", data=data)["G14"]["pass"], False)
        self.assertEqual(cli_test.gdr("validate", "--only", "G14", "--strict", data=data).status, 1)

    def test_damaged_data_file_is_refused_at_its_line(self):
        for wrong, named in (("colour = 1\n", "colour"), ("this is no TOML\n", ""),
                             ('[[row]]\nid = "X"\nsource = "nobody"\nquantity = "q"\n', "nobody")):
            with self.subTest(wrong):
                self.setUp()
                data = self.own_data(lambda text, wrong=wrong: wrong + text if "[[" not in wrong else text + wrong)
                outcome = self.ends(1, [named], "validate", data=data)
                self.assertRegex(outcome.err, r"validation\.toml:\d+:")


if __name__ == "__main__":
    cli_test.GDR, cli_test.PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
