"""The database server that voteweb runs itself if no other is configured."""
