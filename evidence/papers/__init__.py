"""Every algorithm of the papers at one common size, beside the package's default."""
