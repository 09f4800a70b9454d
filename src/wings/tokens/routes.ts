// The routes of issuers: tokens for tests, and new keys.

import { badRequest, type ControlReply, json, refuseConflict } from '../../http/control/replies.ts'
import {
  anyObject,
  type Control,
  described,
  list,
  mapOf,
  object,
  replyWith,
  string,
  under,
} from '../../http/control/route.ts'
import { FLAWS, issuerNamed, mintToken, type TokenOrder, TokenOrderFault } from './mint.ts'
import { tokensObserver } from './observe.ts'

const name = described('The issuer.')
const issuer = object({ name: string, paths: mapOf(string) })

/** Refuses an order that cannot be fulfilled. */
async function orRefuse(work: () => Promise<ControlReply>): Promise<ControlReply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TokenOrderFault) return badRequest(error.message)
    throw error
  }
}

export const tokenRoutes = ({ gateway, about }: Control) =>
  under('shared', {
    getIssuers: {
      at: 'GET /issuers',
      summary: 'The issuers of the configuration, with the paths of their endpoints.',
      replies: {
        200: replyWith('The issuers; none without `issuers`.', object({ issuers: list(issuer), flaws: list(string) })),
      },
      handle: () => {
        const { own = [] } = gateway.observed(tokensObserver).issuers ?? {}
        return json({ issuers: own.map(({ name, paths }) => ({ name, paths })), flaws: Object.keys(FLAWS) })
      },
    },
    mintToken: {
      at: 'POST /issuers/{name}/tokens',
      summary: 'Makes a token for a test: of any consumer, also with a flaw for which the API must refuse it.',
      parameters: { name },
      body: {
        description: 'The token.',
        schema: object({
          consumer: described('The consumer.'),
          'scopes?': { ...list(string), description: 'Default: those of the consumer.' },
          'claims?': { ...anyObject, description: 'Claims that win over the usual ones.' },
          'lifetime?': described('A duration. Default: that of the issuer.'),
          'flaw?': described('What is wrong with it.', { ...string, enum: Object.keys(FLAWS) }),
          'world?': described('The world that gives it. Default: the default world.'),
        }),
      },
      replies: { 200: replyWith('The token.', object({ token: string })) },
      handle: ({ parameters, body }) =>
        orRefuse(async () => {
          const order = { ...(body as unknown as TokenOrder), issuer: String(parameters.name) }
          return json({ token: await mintToken(gateway, order, about.api()) })
        }),
    },
    rotateKey: {
      at: 'POST /issuers/{name}/rotate',
      summary: 'Makes another key for later tokens. The one before stays in the key set for the lifetime of a token.',
      parameters: { name },
      replies: { 200: replyWith('The new key.', object({ kid: string })), 409: 'The key is a file.' },
      handle: ({ parameters }) =>
        orRefuse(async () => {
          const issuer = issuerNamed(gateway, String(parameters.name))
          if (issuer.key !== undefined) return refuseConflict(`the key of ${issuer.name} is a file`)
          return json({ kid: await (await gateway.observed(tokensObserver).keys).rotate(issuer) })
        }),
    },
  })
