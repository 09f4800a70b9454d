// Tokens: issuers whose tokens live in the time of a world.

import type { Wing } from '../../cli/command.ts'
import type { Block } from '../../plan/house.ts'
import { consumerKeys, issuersBlock } from './block.ts'
import { issue } from './issue.ts'
import { tokenCheck, tokensObserver } from './observe.ts'
import { operationsOf } from './operations.ts'

export const tokens: Wing = {
  name: 'tokens',
  blocks: [issuersBlock as Block],
  consumerKeys,
  behaviours: [{ before: 'respond', behaviour: issue }],
  observers: [tokensObserver],
  routes: async control => (await import('./routes.ts')).tokenRoutes(control),
  operations(settings, contract) {
    const issuers = settings.of(issuersBlock)
    return issuers === undefined ? [] : operationsOf(issuers, contract)
  },
  credentials(settings, consumers) {
    const issuers = settings.of(issuersBlock)
    if (issuers === undefined) return undefined
    const check = tokenCheck(issuers, consumers)
    return scheme => (scheme.in === 'authorization' && scheme.word === 'Bearer' ? check : undefined)
  },
}
