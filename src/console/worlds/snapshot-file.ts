// Snapshots of worlds as files, and the names of new worlds.

import { isObject } from '../../kernel/json.ts'

/**
 * Returns the body of `POST /worlds` that makes a world of a snapshot. The snapshot is put in as the text it is, so that its
 * numbers stay digit for digit.
 */
export const creationOf = (name: string, snapshot: string): string =>
  `{"name":${JSON.stringify(name)},"snapshot":${snapshotIn(snapshot)}}`

/** Returns the text of a snapshot. @throws Error where it is not a JSON object */
export function snapshotIn(text: string): string {
  try {
    if (isObject(JSON.parse(text))) return text
  } catch (error) {
    throw new Error(`the file is not JSON: ${(error as Error).message}`)
  }
  throw new Error('the file is not a snapshot: it must hold a JSON object with "version" and "collections"')
}

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
