"""The collector: takes reports over HTTP, stores each once, and shows what they tell."""
