"""odd_files: files that a program should not read, one of each kind."""

import os
from pathlib import Path


def make_file(path: Path, kind: str) -> None:
    """Put a file of a kind at a path."""
    match kind:
        case "utf-16":
            path.write_bytes("text".encode("utf-16"))
        case "bytes":
            path.write_bytes(b"text\xff")
        case "binary":
            path.write_bytes(b"\xff\0\1")
        case "huge":
            path.write_bytes(b"x" * (4 * 1024 * 1024 + 1))
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "circle":
            path.symlink_to(path.name)
        case "gone":
            path.symlink_to("nowhere")
        case "secret":
            path.with_name(".env").write_text("KEY=geheim")
            path.symlink_to(".env")
