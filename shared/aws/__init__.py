"""Every call to AWS. What crosses this door is a domain value, never an item or a client's error."""
