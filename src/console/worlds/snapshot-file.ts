// The names of new worlds, and of the files of their snapshots.

/** A name like another one that no world has: `checkout-2` beside `checkout`. */
export function unusedName(like: string, taken: readonly string[]): string {
  const stem = like.replace(/-\d+$/, '')
  for (let i = 1; ; i++) {
    const name = i === 1 ? stem : `${stem}-${i}`
    if (!taken.includes(name)) return name
  }
}

/** `checkout-2026-11-22.snapshot.json`. @param now milliseconds since the epoch */
export const snapshotName = (world: string, now: number): string =>
  `${world.replaceAll(/[^\w.-]+/g, '_')}-${new Date(now).toISOString().slice(0, 10)}.snapshot.json`
