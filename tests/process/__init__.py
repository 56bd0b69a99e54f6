"""Tests of the real thing: `manage.py serve` in a process of its own, killed and started again."""
