// The innermost behaviour: what an operation answers once nothing stands against it.

import { problems } from '../../kernel/problem.ts'
import type { Behaviour, Handler, Site } from '../behaviour.ts'
import { ACTIONS, type ActionConfig, compileAction } from './actions.ts'
import { compileExample, exampleOf } from './example.ts'
import { compileFixed, type FixedConfig } from './fixed.ts'
import { compileList, type ListConfig } from './list.ts'

export type RespondConfig = ActionConfig & Partial<ListConfig> & Partial<FixedConfig>

const resource = (what: string) => ({ type: 'string', description: `The resource ${what}.` })

export const respond: Behaviour<RespondConfig> = {
  name: 'respond',
  problems: [problems.not_found, problems.invalid_request, problems.not_simulated],
  schema: {
    type: 'object',
    description: "What the operation answers. Unset: the contract's own example.",
    additionalProperties: false,
    minProperties: 1,
    properties: {
      list: resource('to list, ordered by id'),
      filter: {
        type: 'array',
        items: { type: 'string' },
        description: 'With `list`: query parameters that select by the field of the same name.',
      },
      limit: { type: 'string', description: 'With `list`: the query parameter that bounds the page.' },
      create: resource('to add a record to; answers with it and its `Location`'),
      read: resource('to read from, by the last parameter of the path'),
      replace: resource('in which to replace a record by the body'),
      update: resource('in which to change a record, by JSON Merge Patch (RFC 7396)'),
      delete: resource('from which to delete a record'),
      status: { type: 'integer', minimum: 200, maximum: 599, description: 'A fixed reply: its status.' },
      headers: {
        type: 'object',
        additionalProperties: { type: ['string', 'number'] },
        description: 'With `status`: its headers.',
      },
      body: {
        description: 'With `status`: its body, checked against the contract. An error without one is a refusal.',
      },
    },
  },
  compile(config, site) {
    const handler = config === undefined ? compileExample(site.operation) : compileResponder(config, site)
    // The last of the chain: there is nobody further in to ask.
    return () => handler ?? compileExample(site.operation)
  },
  describe(config, { operation }) {
    if (config === undefined) return exampleOf(operation) === undefined ? 'not simulated' : 'example'
    const kind = (['list', ...ACTIONS] as const).find(key => config[key] !== undefined)
    return kind === undefined ? `${config.status}` : `${kind} ${config[kind]}`
  },
}

const KINDS = ['list', ...ACTIONS, 'status'] as const
/** Keys that mean something beside one kind only. */
const COMPANIONS = { filter: 'list', limit: 'list', headers: 'status', body: 'status' } as const

function compileResponder(config: RespondConfig, site: Site): Handler | undefined {
  const kinds = KINDS.filter(kind => config[kind] !== undefined)
  const [kind, second] = kinds
  if (kind === undefined || second !== undefined) {
    const message = kind === undefined ? 'says nothing to respond with' : `${kinds.join(' and ')} exclude each other`
    site.error(
      'ambiguous-responder',
      message,
      second === undefined ? [] : [second],
      `one of: ${KINDS.join(', ')}`,
      'key',
    )
    return undefined
  }
  for (const [key, owner] of Object.entries(COMPANIONS)) {
    if (owner === kind || config[key as keyof RespondConfig] === undefined) continue
    site.error('idle-key', `"${key}" has no effect beside "${kind}"`, [key], `it goes with "${owner}"`, 'key')
  }
  if (kind === 'list') return compileList(config as ListConfig, site)
  if (kind === 'status') return compileFixed(config as FixedConfig, site)
  return compileAction(config, site)
}
