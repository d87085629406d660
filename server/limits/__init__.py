"""Who is calling and how much they may: identities, budgets, windows and slots (hosting contract section 4)."""
