"""The runner of console blocks passes true examples and fails false ones."""

import pathlib
import tempfile
import unittest

import run_console_blocks


class RunConsoleBlocks(unittest.TestCase):
    def wrong(self, block, language="console", mask="", complete=False):
        with tempfile.TemporaryDirectory() as folder:
            document = pathlib.Path(folder) / "page.md"
            document.write_text(f"text\n{mask}\n```{language}\n{block}\n```\n", encoding="utf-8")
            return run_console_blocks.run_document(document, pathlib.Path(folder), None, complete)

    def test_equal_output_passes(self):
        self.assertEqual(self.wrong("$ printf 'one\\ntwo\\n'\none\ntwo"), 0)

    def test_different_output_fails(self):
        self.assertEqual(self.wrong("$ echo one\ntwo"), 1)

    def test_missing_and_further_lines_fail(self):
        self.assertEqual(self.wrong("$ echo one\none\ntwo"), 1)
        self.assertEqual(self.wrong("$ printf 'one\\ntwo\\n'\none"), 1)

    def test_dots_match_within_a_line_only(self):
        self.assertEqual(self.wrong("$ echo one two three\none ... three"), 0)
        self.assertEqual(self.wrong("$ printf 'one\\nthree\\n'\none...three"), 1)

    def test_line_of_dots_matches_any_lines(self):
        self.assertEqual(self.wrong("$ seq 5\n1\n...\n5"), 0)
        self.assertEqual(self.wrong("$ printf '1\\n5\\n'\n1\n...\n5"), 0)
        self.assertEqual(self.wrong("$ seq 5\n1\n...\n6"), 1)

    def test_signs_of_regular_expressions_mean_themselves(self):
        self.assertEqual(self.wrong("$ echo aab\na+b"), 1)
        self.assertEqual(self.wrong("$ echo a+b\na+b"), 0)

    def test_failing_command_fails_unless_its_status_is_told(self):
        self.assertEqual(self.wrong("$ exit 3"), 1)
        self.assertEqual(self.wrong("$ echo no; exit 3\nno\n[exit status 3]"), 0)
        self.assertEqual(self.wrong("$ echo no; exit 2\nno\n[exit status 3]"), 1)

    def test_commands_without_expected_lines_must_print_nothing(self):
        self.assertEqual(self.wrong("$ true\n$ echo two\ntwo"), 0)
        self.assertEqual(self.wrong("$ echo one\n$ echo two\ntwo"), 1)
        self.assertEqual(self.wrong("$ echo one >&2"), 1)

    def test_numbers_may_differ_where_the_mask_beside_the_block_says_so(self):
        mask = "<!-- may differ: host time -->"
        shown = "  host time  0.31 s\n  energy     -0.25"
        self.assertEqual(self.wrong(f"$ printf '  host time  12.5 s\\n  energy     -0.25\\n'\n{shown}", mask=mask), 0)
        self.assertEqual(self.wrong(f"$ printf '  host time 1e-05 s\\n  energy     -0.25\\n'\n{shown}", mask=mask), 0)
        self.assertEqual(self.wrong(f"$ printf '  host time  12.5 s\\n  energy     -0.26\\n'\n{shown}", mask=mask), 1)
        self.assertEqual(self.wrong(f"$ printf '  host time  12.5 ms\\n  energy     -0.25\\n'\n{shown}", mask=mask), 1)
        self.assertEqual(self.wrong(f"$ printf '  host time  none s\\n  energy     -0.25\\n'\n{shown}", mask=mask), 1)
        self.assertEqual(self.wrong(f"$ printf '  host time  12.5 s\\n  energy     -0.25\\n'\n{shown}"), 1)
        self.assertEqual(self.wrong(f"$ printf '  host time  1 s\\n  energy     -7\\n'\n{shown}", mask="<!-- may differ -->"), 0)

    def test_letters_before_digits_do_not_differ(self):
        self.assertEqual(self.wrong("$ echo G2 3\nG1 3", mask="<!-- may differ -->"), 1)

    def test_a_mask_without_a_block_or_a_line_is_refused(self):
        for mask in ("<!-- may differ: host time -->", "<!-- may differ -->\n"):
            with self.assertRaises(ValueError):
                self.wrong("$ echo one\none", mask=mask)
        with self.assertRaises(ValueError):
            self.wrong("$ echo one\none", language="sh", mask="<!-- may differ -->")

    def test_a_complete_document_has_no_dots(self):
        self.assertEqual(self.wrong("$ echo one\none", complete=True), 0)
        with self.assertRaises(ValueError):
            self.wrong("$ echo one two\none ...", complete=True)

    def test_long_command_goes_on_in_the_next_line(self):
        self.assertEqual(self.wrong("$ echo one \\\n  two\none two"), 0)

    def test_standard_error_is_compared(self):
        self.assertEqual(self.wrong("$ echo one >&2\none"), 0)

    def test_commands_share_the_directory_and_see_the_project(self):
        self.assertEqual(self.wrong("$ echo one > file\n$ cat file; ls\none\nfile\npage.md"), 0)

    def test_other_languages_are_not_run(self):
        self.assertEqual(self.wrong("$ exit 1", language="sh"), 0)

    def test_block_without_command_is_refused(self):
        with self.assertRaises(ValueError):
            self.wrong("one")


if __name__ == "__main__":
    unittest.main()
