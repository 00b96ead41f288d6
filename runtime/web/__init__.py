"""The HTTP interface and the web page; needs the extra `web`."""
