"""A simulation in the background: a generator that is given a little time by a timer of Blender's, and programs that it waits for.

Nothing in the scene changes until all of it is done; then results.apply puts it there in one step, which can be undone. A job
that is cancelled or fails leaves neither changes nor files.
"""
import os
import re
import shutil
import subprocess
import tempfile
import time

import bpy

from . import results, settings, translate
from .translate import Problem


class Job:
    """running, done, failed or cancelled; 'fraction' and 'text' tell how far it is."""

    def __init__(self, scene, program):
        self.scene, self.program = scene.name, program
        self.state, self.fraction, self.text, self.said = "running", 0.0, "starting", []
        self.process, self.folder, self.made, self.done = None, None, None, None
        self.work = tempfile.mkdtemp(prefix="sinew-")
        self._steps = self._run()

    def advance(self, seconds=translate.CHUNK):
        """Works for about this long. False: there is no more to do."""
        end = time.monotonic() + seconds
        try:
            while self.state == "running" and time.monotonic() < end:
                next(self._steps)
                if self.process:
                    break  # nothing to do but wait
        except StopIteration:
            self._end("done", "")
        except (Problem, RuntimeError, OSError) as problem:
            self._end("failed", str(problem))
        except Exception as fault:  # a fault of the add-on: it must not leave a process or a timer behind
            self._end("failed", f"internal error: {fault!r}")
            raise
        return self.state == "running"

    def finish(self):
        """Works until the end."""
        while self.advance(1.0):
            if self.process:
                time.sleep(0.01)

    def cancel(self):
        if self.state == "running":
            self._steps.close()
            self._end("cancelled", "cancelled: the scene is as it was")

    def _end(self, state, text):
        self.state, self.text = state, text
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None
        shutil.rmtree(self.work, ignore_errors=True)
        if state != "done" and self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _part(self, steps, start, share, text):
        """Runs a generator as a share of the whole."""
        self.text = text
        try:
            while True:
                self.fraction = start + share * next(steps)
                yield
        except StopIteration as end:
            return end.value

    def _program(self, arguments, start, share, text):
        """Runs a program and follows its progress. Problem: it failed, with its last lines."""
        self.text, log = text, os.path.join(self.work, "said.txt")
        flags = {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {}
        with open(log, "wb") as out:
            self.process = subprocess.Popen([self.program, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                            env={**os.environ, "SINEW_PROGRESS": "1"}, **flags)
        while self.process.poll() is None:
            with open(log, "rb") as lines:
                lines.seek(max(0, os.path.getsize(log) - 400))
                told = re.findall(rb"progress (\d+\.\d+) (.*)", lines.read())
            if told:
                self.fraction, self.text = start + share * float(told[-1][0]), f"{text}: {told[-1][1].decode()}"
            yield
        code, self.process = self.process.returncode, None
        with open(log, encoding="utf-8", errors="replace") as lines:
            said = [line.strip() for line in lines if line.strip() and not line.startswith("progress ")]
        self.said = said
        if code:
            raise Problem("\n".join(self._plain(line) for line in said if " note: " not in line)[-600:]
                          or f"sinew ended with code {code}")

    def _plain(self, line):
        """What a program says, without folders, and with the names of bodies instead of their numbers."""
        entries = self.made.scene.get("bodies", []) if self.made else []
        line = re.sub(r"\bbodies\[(\d+)\]", lambda m: entries[int(m[1])]["name"] if int(m[1]) < len(entries) else m[0], line)
        return line.replace(os.path.join(self.work, ""), "")

    def _run(self):
        scene = bpy.data.scenes[self.scene]
        self.made = made = yield from self._part(translate.translate(scene, self.work), 0, 0.15, "reading the scene")
        for i, (surface, rig, options) in enumerate(made.rigs):
            yield from self._program(["viperize", surface, "-o", rig, *options], 0.15 + 0.1 * i / len(made.rigs),
                                     0.1 / len(made.rigs), f"making fibres of {options[options.index('--name') + 1]}")
        yield from self._program(["run", os.path.join(self.work, "scene.json"), "--fps", repr(made.fps),
                                  "-o", os.path.join(self.work, "out.pc2")], 0.25, 0.65, "simulating")
        self.folder = results.cache_folder(self.scene)
        self.done = yield from self._part(results.bind_and_write(made, self.work, self.folder), 0.9, 0.1, "writing")


class Export(Job):
    """Only the scene and its rigs, in a folder that stays."""

    def __init__(self, scene, program, folder):
        Job.__init__(self, scene, program)
        self.target = folder

    def _run(self):
        made = yield from self._part(translate.translate(bpy.data.scenes[self.scene], self.target), 0, 0.5, "reading the scene")
        for surface, rig, options in made.rigs:
            yield from self._program(["viperize", surface, "-o", rig, *options], 0.5, 0.5, "making fibres")


current = None  # the job that runs, or ran last


def start(scene):
    """Starts a job. Raises Problem."""
    global current
    if current and current.state == "running":
        raise Problem("a simulation is running")
    program = settings.find_program()
    if not program:
        raise Problem("the program 'sinew' was not found: name it in Preferences > Add-ons > Sinew")
    translate.participants(scene)
    current = Job(scene, program)
    return current
