"""Hooks of MkDocs: what pages of docs/ may do on GitHub and a site of its own must be taught.

Links to files of the tree outside docs/ lead to copies, those to folders to lists of what is in them. Nested lists are
indented by four columns, which Python-Markdown asks for.
"""
import os
import pathlib
import re

from mkdocs.structure.files import File

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]+)")


def outside(target):
    """The path from the top of the tree of a link that leads out of docs/ or to a folder, or None."""
    path = pathlib.Path(os.path.normpath(DOCS / target))
    if path.is_relative_to(DOCS) and not path.is_dir():
        return None
    return path.relative_to(DOCS.parent)


def place(path):
    """Where the site has it. As .txt, which browsers show."""
    return f"files/{path}.md" if (DOCS.parent / path).is_dir() else f"files/{path}.txt"


def prose(text, change):
    """The text with `change` made of every line that stands in no fenced block."""
    inside, lines = False, []
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            inside = not inside
        lines.append(line if inside else change(line))
    return "\n".join(lines)


def on_files(files, config):
    wanted = {path for page in DOCS.glob("*.md") for target in LINK.findall(page.read_text()) if (path := outside(target))}
    for path in sorted(wanted):
        whole = DOCS.parent / path
        if whole.is_dir():
            listed = sorted(entry for entry in whole.iterdir() if entry.is_file())
            names = [f"- [{entry.name}]({whole.name}/{entry.name}.txt)" for entry in listed]
            files.append(File.generated(config, place(path), content="\n".join([f"# {path}", "", *names, ""])))
            wanted = wanted | {entry.relative_to(DOCS.parent) for entry in listed}
    for path in sorted(wanted):
        if (DOCS.parent / path).is_file():
            files.append(File.generated(config, place(path), abs_src_path=str(DOCS.parent / path)))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri.startswith("files/"):
        return markdown

    def link(match):
        path = outside(match[1])
        return f"]({place(path)}" if path else match[0]

    return prose(markdown, lambda line: LINK.sub(link, re.sub(r"^  - ", "    - ", line)))
