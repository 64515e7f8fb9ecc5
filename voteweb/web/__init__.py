"""The site on the web; only this package, the app and the command line use Flask."""
