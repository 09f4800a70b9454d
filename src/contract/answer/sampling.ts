// One sampler for all the schemas of a contract.

import type { SchemaUse } from '../dialect.ts'
import type { Definitions } from '../sample/fits.ts'
import { Sampler } from '../sample/sample.ts'

const samplers = new WeakMap<Definitions, Sampler>()

export function samplerOf({ definitions }: SchemaUse): Sampler {
  let sampler = samplers.get(definitions)
  if (sampler === undefined) {
    sampler = new Sampler(definitions)
    samplers.set(definitions, sampler)
  }
  return sampler
}
