"""HTTP and batches: requests, JSON, pages, forms, cookies, streams, queues and logging."""
