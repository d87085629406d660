"""The commands of `paperdesk`, one file for each group."""
