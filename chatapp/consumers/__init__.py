"""WebSockets: events out, never a command in. They read the event log and history, and drive nothing."""
