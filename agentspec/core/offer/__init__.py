"""offer: which tools and skills a model is shown. Nothing is looked up in the world."""
