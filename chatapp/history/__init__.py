"""READ side: sessions, the run in flight and its frames, as turns for the templates. Writes nothing."""
