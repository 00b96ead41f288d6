"""Acts: resume, fork, check, run; the public face of the package."""
