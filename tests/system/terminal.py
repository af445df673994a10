"""terminal.py - run commands as a person does, at a terminal."""
import fcntl
import os
import pty
import subprocess
import termios


def at_terminal(command, env, says="", **more):
    """Run a command with a controlling terminal on standard input, type @says
    and Ctrl-D; returns the CompletedProcess."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, says.encode() + b"\x04")
        # pylint: disable=subprocess-popen-preexec-fn
        return subprocess.run(
            [str(word) for word in command], env=env, stdin=theirs,
            capture_output=True, text=True, timeout=60,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **more)
    finally:
        os.close(theirs)
        os.close(ours)


def from_program(command, env, **more):
    """Run a command as a program does, without a terminal."""
    return subprocess.run(
        [str(word) for word in command], env=env, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, start_new_session=True,
        **more)
