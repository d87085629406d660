"""What papers claim, how strong each claim is and what bears on it."""
