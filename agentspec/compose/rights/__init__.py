"""rights: what a composed spec may do in the end, and what another one may not."""
