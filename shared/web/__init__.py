"""Events in, answers out: requests, JSON, pages, batches, and what is logged of them."""
