"""HTTP: pages and commands. Each view fetches with permission first, and waits for no run's end."""
