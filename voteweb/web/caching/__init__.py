"""Parts of pages that are kept, for readers and members, and the viewer's parts that are put into them."""
