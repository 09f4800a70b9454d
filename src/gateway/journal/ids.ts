// The ids of requests: unique among all processes that share a state.

/** The ids of each process begin this far after those of the one before: enough for a month at 300 requests a second. */
export const IDS = 1_000_000_000

/** Returns the number of the process that answered a request. */
export const nestedMember = (id: number): number => Math.floor(id / IDS)
