// The journals of several processes as one: entries travel masked, and are put in the order in which they were answered.

import type { Mask } from '../mask.ts'
import type { Journal } from './journal.ts'
import type { JournalEntry } from './kept-request.ts'

/** The requests that questions are asked about: of one process, or of all. */
export interface JournalView {
  /** The requests, in the order in which they were answered. */
  each(): Iterable<JournalEntry>
  readonly evicted: number
}

/** Masks nothing: the texts are masked already. */
const MASKED = {
  text: (text: string) => text,
  path: (path: string) => path,
  query: (query: string) => query,
  header: (_: string, value: string) => value,
  holds: () => false,
  longest: 0,
} as unknown as Mask

/** The journal of this process as text, credentials masked. */
export function writeJournal(journal: Journal): string {
  const entries = [...journal.each()].map(({ mask, ...entry }) => ({
    ...entry,
    path: mask.path(entry.path),
    query: mask.query(entry.query),
    notes: entry.notes.map(note => mask.text(note)),
    headers: masked(entry.headers, mask),
    refusal: entry.refusal && { ...entry.refusal, detail: mask.text(entry.refusal.detail) },
  }))
  return JSON.stringify({ evicted: journal.evicted, entries })
}

const masked = (headers: JournalEntry['headers'], mask: Mask): JournalEntry['headers'] =>
  headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask.header(name, value)]))

/** The journal of this process together with those of others. */
export function joinJournals(own: Journal, others: readonly string[]): JournalView {
  if (others.length === 0) return own
  const read = others.map(text => JSON.parse(text) as { evicted: number; entries: Omit<JournalEntry, 'mask'>[] })
  const foreign = read.flatMap(({ entries }) => entries.map((entry): JournalEntry => ({ ...entry, mask: MASKED })))
  const all = [...own.each(), ...foreign].sort((a, b) => a.at - b.at)
  const evicted = read.reduce((sum, one) => sum + one.evicted, own.evicted)
  return { each: () => all, evicted }
}
