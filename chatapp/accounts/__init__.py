"""Who may have an account, and who must be logged in. The flows themselves are allauth's."""
