// The names of worlds.

/** The names of worlds: valid as a path segment, a header, a file name and a label. */
export const WORLD_NAME = /^[A-Za-z0-9._-]{1,64}$/
/** The same in words. */
export const WORLD_NAME_RULE = '1 to 64 characters of A-Z a-z 0-9 . _ -'
