"""The run itself: its state, and the phases that change it. `loop` calls them; everything else is called."""
