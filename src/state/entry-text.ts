// The text of an entry of the log: a JSON array, and the records of its changes, each after a tab, as they are stored.

import type { NamedEffect } from './effects.ts'
import { type PortableEffect, readEffect, writeEffect } from './portable.ts'

/** A group as it is read. */
export interface ReadGroup {
  readonly at: number
  readonly by: string
  readonly changes: readonly NamedEffect[]
}

/** Returns the text in one piece: see `recordText`. */
export function writeGroup({ at, by, changes }: ReadGroup): string {
  const records: string[] = []
  const effects = changes.map(({ world, effect }) => `[${JSON.stringify(world)},${writeEffect(effect, records)}]`)
  const entry = [`[${at},${JSON.stringify(by)},[${effects.join()}]]`, ...records].join('\t')
  if (entry.charCodeAt(0) !== BRACKET) throw new Error('an entry is a list')
  return entry
}

const BRACKET = 91

export function readGroup(entry: string): ReadGroup {
  const [json = '', ...records] = entry.split('\t')
  const [at, by, changes] = JSON.parse(json) as [number, string, [world: string, effect: PortableEffect][]]
  return { at, by, changes: changes.map(([world, effect]) => ({ world, effect: readEffect(effect, records) })) }
}
