"""`make bench`: what the product promises about cost, as figures. Read them as ratios."""
