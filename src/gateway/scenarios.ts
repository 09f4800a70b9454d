// The states of the scenarios of a world, as they are shown and set from outside.

import { type KnownScenarios, scenariosOf } from '../plan/scenarios.ts'
import { SCENARIOS, Scenarios } from '../world/kept/scenarios.ts'
import type { World } from '../world/world.ts'
import { Refused, unknownName, withHint } from './refused.ts'
import type { Worlds } from './worlds/worlds.ts'

/** Returns the states of all scenarios of a world, by name: empty at first. */
export function scenarioStates(worlds: Worlds, world: World): Readonly<Record<string, string>> {
  const states = world.keep(Scenarios, SCENARIOS)
  const names = new Set([...knownIn(worlds, world).keys(), ...[...states.dump()].map(([name]) => name)])
  return Object.fromEntries([...names].map(name => [name, states.stateOf(name)]))
}

/** Sets the states of scenarios; throws `Refused`, and sets none, if a scenario or its state is unknown. */
export function enterScenarios(worlds: Worlds, world: World, states: Readonly<Record<string, string>>): void {
  const known = knownIn(worlds, world)
  const table = world.keep(Scenarios, SCENARIOS)
  // Answers on demand and weather from the control plane may enter others.
  const entered = new Set([...table.dump()].map(([name]) => name))
  for (const [name, state] of Object.entries(states)) {
    if (typeof state !== 'string') throw new Refused('invalid_request', `the state of ${name} must be text`)
    if (entered.has(name) && !known.has(name)) continue
    const possible = known.get(name)
    if (possible === undefined) throw unknownName('scenario', name, known.keys())
    if (possible === 'any' || possible.has(state) || table.stateOf(name) === state) continue
    const sentence = `the scenario ${name} has no state "${state}"`
    throw new Refused('invalid_request', withHint(sentence, state, [...possible].filter(Boolean)))
  }
  table.enter(Object.entries(states))
}

const knownIn = (worlds: Worlds, { name }: World): KnownScenarios => scenariosOf(worlds.planOf(name).simulation.file)
