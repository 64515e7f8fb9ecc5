"""The site's database as a server: health, backups that were made, rescoring."""
