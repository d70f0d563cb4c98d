"""repeats: how a run is seen to go in circles, by evidence. Policies decide what follows."""
