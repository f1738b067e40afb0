"""What the laboratory refuses or finds impossible."""


class LabError(Exception):
    """A sentence: what is wrong, where, and what to do about it."""
