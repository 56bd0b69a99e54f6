"""The chaos bench: real processes, random people, faults at random moments, and then the invariants.

Standing still it asks of the rows and of what the sockets delivered: is every accepted message there once
and in order, every history whole, every tool's effect allowed, every client's text the stored one? It knows
the product only from outside: commands by HTTP, frames from sockets, rows by plain SQL.
"""
