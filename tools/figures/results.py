"""Files of results: what was measured or computed, with command, machine and date (tools/make-tables says how)."""
import contextlib
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "docs/results"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
KEYS = {"command", "machine", "date", "note", "columns", "show", "only", "pivot", "rows"}


class Wrong(Exception):
    """A sentence: what is wrong with a page or a file of results."""


@contextlib.contextmanager
def using(path):
    """Whatever is not as expected of the file at `path` becomes a sentence about it."""
    try:
        yield
    except FileNotFoundError:
        raise Wrong(f"there is no {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Wrong(f"{path.name} is not what a file of results should be: {error!r}") from None


def read(name, folder=RESULTS):
    """The file `name`.json; its rows have a cell a column."""
    path = folder / f"{name}.json"
    with using(path):
        data = json.loads(path.read_text())
        if unknown := set(data) - KEYS:
            raise Wrong(f"{path.name}: unknown key {', '.join(sorted(unknown))}")
        keys = [column["key"] for column in data["columns"]]
        if bad := next((row for row in data["rows"] if len(row) != len(keys)), None):
            raise Wrong(f"{path.name}: {len(bad)} cells in a row of {len(keys)} columns: {bad}")
        return data


def records(name, folder=RESULTS):
    """The rows of a file, each as column -> cell."""
    data = read(name, folder)
    return [dict(zip((column["key"] for column in data["columns"]), row)) for row in data["rows"]]
