"""How the client's model is told to judge: five texts, each with the version that travels with every answer (9)."""
