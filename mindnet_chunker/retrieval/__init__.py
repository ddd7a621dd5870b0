"""A question -> hits; a note -> the notes near it. Pure: the store is handed in, and so is the question's vector."""
