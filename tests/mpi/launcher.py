"""Starts MPI programs under either MPI, with the recorder's variables where whatwire record puts them: before the program."""
import os
import subprocess

environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def of_openmpi(mpirun):
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, env=environment, timeout=60).stdout
    return "Open MPI" in version or "OpenRTE" in version


def command(mpirun, ranks, program, *arguments, **variables):
    more_ranks_than_cores = ["--oversubscribe"] if of_openmpi(mpirun) else []
    set_variables = ["/usr/bin/env", *(f"{name}={value}" for name, value in variables.items())] if variables else []
    return [mpirun, "-n", str(ranks), *more_ranks_than_cores, *set_variables, program, *map(str, arguments)]
