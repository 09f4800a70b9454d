// The innermost behaviour: answers a request that no other behaviour has refused, with the responder that `respond` names.

import type { Schema } from '../../kernel/schema/schema.ts'
import { type Behaviour, type Handler, type SettingOf, type Site, setting } from '../behaviour.ts'
import type { Responder } from '../responder.ts'
import { create } from './create.ts'
import { deletion } from './delete.ts'
import { compileDocumented, describeDocumented } from './documented.ts'
import { example } from './example.ts'
import { file } from './file.ts'
import { list } from './list.ts'
import { read } from './read.ts'
import { replace } from './replace.ts'
import { status } from './status.ts'
import { update } from './update.ts'

/** The responders of the house; wings add theirs. Adding one is one file and one line here. */
export const RESPONDERS: readonly Responder[] = [list, create, read, replace, update, deletion, status, example, file]

/** A `respond` block, of any responder. */
type Written = Readonly<Record<string, unknown>>

/** Returns the behaviour with some responders. Throws where two of them give one key two schemas. */
export const respondWith = (responders: readonly Responder[]): Behaviour<Written> => ({
  name: 'respond',
  schema: schemaOf(
    responders,
    'The reply of the operation. Default: an example of the contract, or a value generated from its schema.',
  ),
  compile(config, site) {
    const handler = (config && compileChosen(config, responders, site)) ?? compileDocumented(site)
    // The last behaviour of the chain: it never calls `next`.
    return () => handler
  },
  describe(config, site) {
    if (config === undefined) return describeDocumented(site)
    const { outer, kinds } = chosenBy(config, responders)
    const [inner] = kinds
    const described = inner && describe(inner, config)
    return outer === undefined ? described : describe(outer, config, described)
  },
})

/** Returns the schema of a `respond` block with the keys of some responders. */
export const schemaOf = (responders: readonly Responder[], description: string) =>
  setting.block(description, keysOf(responders), { minProperties: 1 })

/** Returns the schema of a `respond` block that suits every operation; `undefined` where no responder does. */
export function generalSchema(responders: readonly Responder[]): Schema | undefined {
  const general = responders.filter(responder => responder.general)
  return general.length === 0 ? undefined : setting.block('The reply of the operations.', keysOf(general))
}

function keysOf(responders: readonly Responder[]): Record<string, SettingOf<unknown>> {
  const all: Record<string, SettingOf<unknown>> = {}
  for (const { kind, keys } of responders) {
    for (const [key, schema] of Object.entries(keys)) {
      if (all[key] !== undefined && all[key] !== schema) throw new Error(`"${key}" of "${kind}" has another schema`)
      all[key] = schema
    }
  }
  return all
}

/** The responders that a block chooses: one that stands around the other, and the kinds of reply. */
interface Chosen {
  readonly outer: Responder | undefined
  readonly kinds: readonly Responder[]
}

function chosenBy(config: Written, responders: readonly Responder[]): Chosen {
  const written = responders.filter(({ kind }) => config[kind] !== undefined)
  const outer = written.find(({ around }) => around?.applies(config))
  const isCompanion = (kind: string) => written.some(({ kind: other, keys }) => other !== kind && kind in keys)
  return { outer, kinds: written.filter(responder => responder !== outer && !isCompanion(responder.kind)) }
}

const describe = (responder: Responder, config: Written, inner?: string): string =>
  responder.describe?.(config, inner) ?? `${responder.kind} ${config[responder.kind]}`

function compileChosen(config: Written, responders: readonly Responder[], site: Site): Handler | undefined {
  const { outer, kinds } = chosenBy(config, responders)
  const [first = outer, second] = kinds
  if (first === undefined || second !== undefined) {
    reportChoice(kinds, responders, site)
    return undefined
  }
  if (site.operation.method === 'GET' && first.changes) {
    const { kind } = first
    site.warn('write-on-get', `a GET should not ${kind} a record`, [kind], 'use list or read, or another operation')
  }
  reportIdleKeys(config, first, outer, responders, site)
  const documented = () => compileDocumented(site)
  const handler = first.compile(config, site, documented)
  return outer === undefined || outer === first ? handler : handler && outer.compile(config, site, () => handler)
}

const kindsOf = (responders: readonly Responder[]): string =>
  responders
    .filter(({ around }) => around?.only !== true)
    .map(({ kind }) => kind)
    .join(', ')

/** Reports a block without a kind of reply, or with several. */
function reportChoice(kinds: readonly Responder[], responders: readonly Responder[], site: Site): void {
  const [first, second] = kinds
  if (second === undefined) {
    const hint = `write one of: ${kindsOf(responders)}`
    site.error('no-responder', 'has no kind of reply', [], hint, 'key')
    return
  }
  const message = `${kinds.map(({ kind }) => kind).join(' and ')} exclude each other`
  const hint =
    second.around === undefined
      ? `write one of: ${kindsOf(responders)}`
      : `write ${second.around.written}, so that "${first?.kind}" answers in its place`
  site.error('ambiguous-responder', message, [second.kind], hint, 'key')
}

/** Reports the keys that the chosen responders do not have. */
function reportIdleKeys(
  config: Written,
  chosen: Responder,
  outer: Responder | undefined,
  responders: readonly Responder[],
  site: Site,
): void {
  for (const [key, value] of Object.entries(config)) {
    if (value === undefined || key in chosen.keys || (outer !== undefined && key in outer.keys)) continue
    const owners = responders.filter(({ keys }) => key in keys)
    const hint = `use it with ${owners.map(({ kind }) => `"${kind}"`).join(', ')}`
    site.error('idle-key', `"${key}" has no effect beside "${chosen.kind}"`, [key], hint, 'key')
  }
}
