// The scenarios of a configuration and their states, as rules enter them and conditions compare them.

import { isObject } from '../kernel/json.ts'

/** The states of each scenario; `any` if a condition reads the state in another way than comparing it with a text. */
export type KnownScenarios = ReadonlyMap<string, ReadonlySet<string> | 'any'>

const USE = /\bscenario\(\s*(["'])(.*?)\1\s*\)(?:\s*[!=]=\s*(["'])(.*?)\3)?/g

/** @param file the content of a gateway.yaml */
export function scenariosOf(file: object): KnownScenarios {
  const known = new Map<string, Set<string> | 'any'>()
  const add = (name: string, state: string | undefined): void => {
    const states = known.get(name) ?? new Set([''])
    known.set(name, state === undefined || states === 'any' ? 'any' : states.add(state))
  }
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      for (const [, , name = '', , state] of value.matchAll(USE)) add(name, state)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'enter' && isObject(inner)) {
          for (const [name, state] of Object.entries(inner)) add(name, String(state))
        } else visit(inner)
      }
    }
  }
  visit(file)
  return known
}
