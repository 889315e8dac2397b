#!/usr/bin/env python3
"""Codes that call libg6 as known codes do: steps and energy errors of the same code on exact forces, the same bits
however the board is cut, recovery from failures, j-particles shared out over MPI ranks.

client_patterns_test.py DATA_DIRECTORY [--slowed-down] [Patterns.TEST] LANGUAGE=PROGRAM,PROGRAM_IN_DOUBLES[,MPIEXEC]...
"""

import os
import re
import sys
import subprocess
import unittest

arguments = sys.argv[2:]
SLOWED_DOWN = "--slowed-down" in arguments
PROGRAMS = dict(word.split("=", 1) for word in arguments if "=" in word)
ENVIRONMENT = os.environ | {"GDR_DATA_DIR": sys.argv[1]}
C_PATTERNS = ["bhint", "kira", "ph4", "sapporo"]
FORTRAN_PATTERNS = {"nbody4": 0.25, "nbody6": 0.03125, "nbody1": 0.25}  # and until when they run


def run(command, **settings):
    """What a program printed, as a dictionary."""
    outcome = subprocess.run(
        list(map(str, command)), env=ENVIRONMENT | settings, capture_output=True, text=True, timeout=300
    )
    if outcome.returncode != 0:
        raise AssertionError(f"{command}: {outcome.stdout}{outcome.stderr}")
    words = outcome.stdout.split()
    return dict(zip(words[::2], words[1::2]))


def program(language, library):
    return PROGRAMS[language].split(",")[library == "doubles"]


class Patterns(unittest.TestCase):
    # Steps within 2 % and energy errors within a factor of 5 are what short words may cost. Below 1e-8 an energy
    # error is that of the sums.
    def compare(self, name, on_board, in_doubles):
        print(
            f"{name}: steps {on_board['steps']} / {in_doubles['steps']},",
            f"dE/E {on_board['energy_error']} / {in_doubles['energy_error']}",
        )
        self.assertEqual(on_board["faults"], "0")
        self.assertAlmostEqual(int(on_board["steps"]) / int(in_doubles["steps"]), 1, delta=0.02)
        error, exact = abs(float(on_board["energy_error"])), abs(float(in_doubles["energy_error"]))
        self.assertLessEqual(error, 5 * max(exact, 1e-8))

    def test_codes_in_c_take_the_steps_of_exact_forces(self):
        n, t_end = (64, 0.0625) if SLOWED_DOWN else (256, 0.25)
        for pattern in C_PATTERNS:
            with self.subTest(pattern):
                results = [run([program("c", library), pattern, n, t_end]) for library in ("g6", "doubles")]
                self.compare(pattern, *results)

    def test_codes_in_fortran_take_the_steps_of_exact_forces(self):
        if "fortran" not in PROGRAMS:
            self.skipTest("no Fortran here")
        for pattern, t_end in FORTRAN_PATTERNS.items():
            with self.subTest(pattern):
                results = [run([program("fortran", library), pattern, 256, t_end]) for library in ("g6", "doubles")]
                self.compare(pattern, *results)

    def test_ranks_that_share_out_the_particles_take_the_steps_of_exact_forces(self):
        if "phigrape" not in PROGRAMS:
            self.skipTest("no MPI for Fortran here")
        mpiexec = PROGRAMS["phigrape"].split(",")[2]
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                command = [mpiexec, "--allow-run-as-root", "--oversubscribe", "-np", ranks]
                results = [
                    run([*command, program("phigrape", library), 256, 0.125], GDR_THREADS="1")
                    for library in ("g6", "doubles")
                ]
                self.compare(f"phigrape on {ranks}", *results)

    def test_ranks_that_wait_yield_unless_the_user_says_how_they_wait(self):
        if "phigrape" not in PROGRAMS:
            self.skipTest("no MPI for Fortran here")
        mpiexec = PROGRAMS["phigrape"].split(",")[2]
        version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=True).stdout
        if not re.search("Open MPI|OpenRTE", version):
            self.skipTest("no Open MPI here")
        ours = {name: value for name, value in ENVIRONMENT.items() if "yield_when_idle" not in name}
        for ranks, options, settings, yields in (
            (2, [], {}, "1"), (2, ["--mca", "mpi_yield_when_idle", "0"], {}, "0"),
            (2, [], {"OMPI_MCA_mpi_yield_when_idle": "false"}, "0"), (1, [], {}, "0"),
        ):
            # Open MPI itself says what it has taken.
            command = [mpiexec, "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_show_mca_params", "all", *options,
                       "-np", str(ranks), program("phigrape", "g6"), "16", "0.0"]
            done = subprocess.run(command, env=ours | settings, capture_output=True, text=True, timeout=300)
            found = re.findall(r"mpi_yield_when_idle=(\w+)", done.stdout + done.stderr)
            self.assertTrue(found, done.stderr[-500:])
            self.assertEqual({value in ("1", "true") for value in found}, {yields == "1"}, (ranks, options, settings))

    def test_leapfrog_codes_on_the_grape_5_library_keep_the_energy_of_exact_forces(self):
        n, steps = (64, 8) if SLOWED_DOWN else (512, 32)
        for pattern in ("fdps", "phantom", "rebound"):
            with self.subTest(pattern):
                board, exact = (run([program("g5", library), pattern, n, steps]) for library in ("g5", "doubles"))
                print(pattern, board, exact)
                # Errors of single forces are 1e-7; their random sum is far below.
                self.assertAlmostEqual(float(board["forces"]) / float(exact["forces"]), 1, delta=1e-7)
                self.assertAlmostEqual(float(board["energy_error"]), float(exact["energy_error"]), delta=1e-7)

    def test_the_same_bits_from_any_number_of_pipes_chips_and_boards(self):
        n, t_end = (32, 0.03125) if SLOWED_DOWN else (128, 0.25)
        for pattern in ("kira", "ph4"):
            bits = {
                name: run([program("c", "g6"), pattern, n, t_end], **settings)["bits"]
                for name, settings in [
                    ("as it is", {}),
                    ("again", {}),
                    ("128 pipes", {"GDR_G6_NPIPES": "128"}),
                    ("512 pipes", {"GDR_G6_NPIPES": "512"}),
                ]
            }
            self.assertEqual(len(set(bits.values())), 1, bits)
            # The chips' sums are added on the host in doubles, so their number may move the last bits of a force.
            energies = {
                name: float(run([program("c", "g6"), pattern, n, t_end], **settings)["board_energy"])
                for name, settings in [
                    ("4 chips", {}),
                    ("1 chip", {"GDR_MACHINE": "model450"}),
                    ("2 chips", {"GDR_MACHINE": "model450", "GDR_BOARDS": "2"}),
                ]
            }
            print(pattern, energies)
            for energy in energies.values():
                self.assertAlmostEqual(energy, energies["4 chips"], delta=1e-9)

    def test_codes_recover_from_a_board_that_fails_once(self):
        n, t_end = (32, 0.03125) if SLOWED_DOWN else (64, 0.125)
        for pattern in ("bhint", "kira"):
            bits = run([program("c", "g6"), pattern, n, t_end])["bits"]
            for fails, resent in [("lasthalf", "1"), ("list", "1"), ("both", "2")]:
                with self.subTest(pattern=pattern, fails=fails):
                    printed = run([program("c", "g6"), pattern, n, t_end], GDR_G6_FAIL_ONCE=fails)
                    self.assertEqual((printed["resent"], printed["faults"]), (resent, "0"))
                    self.assertEqual(printed["bits"], bits)


unittest.main(argv=sys.argv[:1] + [word for word in arguments if word.startswith("Patterns.")], verbosity=2)
