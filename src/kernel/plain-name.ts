// Compares names without regard to their spelling.

/** A name in the form that all its spellings share: `per_page`, `perPage` and `per-page` are `perpage`. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
