"""Other frameworks on top of our sessions; each module is imported only where its framework is used."""
