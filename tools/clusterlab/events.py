"""What can happen to a cluster: links that break or slow down, servers and ranks that die or stop."""
import re

from .errors import LabError

VERBS = {"down": "link", "up": "link", "rate": "link", "kill": "process", "stop": "process", "cont": "process"}
USAGE = "down:LINK, up:LINK, rate:LINK=FRACTION, kill:, stop: or cont: with serverN or rankN"


class Event:
    """`down:s1nic0`, `rate:s1nic0=0.1`, `kill:server1`, `stop:rank3`; `at`: seconds after the ranks were started."""

    def __init__(self, text, at=None):
        self.text, self.at = text, at
        verb, colon, target = text.partition(":")
        if not colon or verb not in VERBS or not target:
            raise LabError(f"event '{text}': expected {USAGE}")
        self.verb, self.fraction = verb, None
        if verb == "rate":
            target, equals, number = target.rpartition("=")
            self.fraction = fraction(number) if equals else None
            if not self.fraction or not target:
                raise LabError(f"event '{text}': expected rate:LINK=FRACTION with a number above 0, as in "
                               "rate:s1nic0=0.1")
        self.target, self.rank, self.server = target, None, None
        if VERBS[verb] == "process":
            match = re.fullmatch(r"(rank|server)(\d+)", target)
            if not match:
                raise LabError(f"event '{text}': expected serverN or rankN, not '{target}'")
            self.rank = int(match[2]) if match[1] == "rank" else None
            self.server = target if match[1] == "server" else None

    @classmethod
    def of_words(cls, words):
        """Of the command line: seconds and what happens then."""
        at = fraction(words[0], least=0)
        if at is None:
            raise LabError(f"--at {words[0]}: expected seconds, 0 or more")
        return cls(words[1], at)

    def check(self, cluster, ranks):
        """Refuses an event of something that is not there."""
        if VERBS[self.verb] == "link":
            cluster.wire_named(self.target)
        elif self.server:
            cluster.server_named(self.server)
        elif self.rank >= ranks:
            raise LabError(f"event '{self.text}': there are ranks 0 to {ranks - 1}")


def fraction(text, least=None):
    """A finite number above 0, or from `least` on; else None."""
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text):
        return None
    number = float(text)
    return number if 0 < number < float("inf") or least == number else None
