"""Plans how many queries a comparison needs, and which documents to judge next."""
