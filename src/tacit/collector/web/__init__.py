"""The collector over HTTP: routes, limits, the one writer, and the process around them."""
