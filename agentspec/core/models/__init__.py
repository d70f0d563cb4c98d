"""models: what the kernel knows of models: what they answer, when they are asked again, what is set for them."""
