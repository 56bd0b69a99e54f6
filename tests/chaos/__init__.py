"""The chaos bench itself: that it sees what it is there to see."""
