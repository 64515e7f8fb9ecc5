"""Log-in, sessions, form tokens and the device cookie."""
