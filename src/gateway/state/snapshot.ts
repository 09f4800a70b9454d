// A snapshot of all worlds with the weather and answers over them: writing and loading it.

import { keepSeeds } from './do-effect.ts'
import type { SeedStore } from './seed-store.ts'
import { readSnapshot, writeSnapshot } from './snapshot-text.ts'
import type { Subjects } from './subjects.ts'
import { restoreState, stateOf } from './world-state.ts'

/** Takes everything as it is when this is called, and writes it in slices. */
export function takeSnapshot(subjects: Subjects, seeds: SeedStore): Promise<string> {
  const worlds = subjects.worlds.list()
  const dumped = seeds.dump(worlds.map(({ origin }) => origin))
  for (const [name, digest] of dumped) seeds.log(name, digest)
  return writeSnapshot({
    seeds: dumped,
    worlds: worlds.map(world => stateOf(world, seeds)),
    weather: subjects.weather.dump(worlds),
    answers: subjects.answers.dump(worlds),
  })
}

/** Replaces the worlds of the gateway by those of a snapshot. */
export function loadSnapshot(text: string, subjects: Subjects, seeds: SeedStore): void {
  const snapshot = readSnapshot(text)
  const { worlds, weather, answers } = subjects
  const plan = subjects.plan()
  for (const [name, digest, state] of snapshot.seeds) keepSeeds(worlds, seeds, name, digest, state)
  const names = new Set(snapshot.worlds.map(({ name }) => name))
  for (const { name } of worlds.list()) if (!names.has(name) && !worlds.isPermanent(name)) worlds.delete(name)
  // The list begins with the world that was used last, which must be put last.
  for (const state of [...snapshot.worlds].reverse()) {
    worlds.put(restoreState(worlds.blank(state.name), state, seeds))
  }
  for (const [, id] of answers.dump([])) answers.restore(plan, undefined, id, null)
  for (const [world, id, answer] of snapshot.answers) answers.restore(plan, worlds.peek(world), id, answer)
  for (const [world, order, until] of snapshot.weather) weather.restore(plan, worlds.peek(world), [order, until])
}
