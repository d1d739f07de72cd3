"""Commands of OpenStack's client that run hotplate on what it reads from a cloud."""
