"""The demonstration: a whole study on made-up people, in files or live over the network."""
