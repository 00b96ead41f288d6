"""rehydrate restores the runtime of coding-agent sessions from their events; the public face is `rehydrate.runtime`."""
