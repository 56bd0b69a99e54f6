"""The project and its web app: threads of a user, the pages, the sockets, and where runs execute."""
