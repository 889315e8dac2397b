"""The runner of console blocks passes true examples and fails false ones."""

import pathlib
import tempfile
import unittest

import run_console_blocks


class RunConsoleBlocks(unittest.TestCase):
    def wrong(self, block, language="console"):
        with tempfile.TemporaryDirectory() as folder:
            document = pathlib.Path(folder) / "page.md"
            document.write_text(f"text\n```{language}\n{block}\n```\n", encoding="utf-8")
            return run_console_blocks.run_document(document, pathlib.Path(folder), None)

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

    def test_commands_without_expected_lines_may_print(self):
        self.assertEqual(self.wrong("$ echo one\n$ echo two\ntwo"), 0)

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
