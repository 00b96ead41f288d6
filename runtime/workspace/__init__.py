"""Is this still the place the session worked in? Identity, observation, comparison, drift, policy, rebinding."""
