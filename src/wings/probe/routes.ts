// The routes of one request: showing it, sending it again, sending a new one.

import type { Gateway } from '../../gateway/gateway.ts'
import { describeEntry } from '../../gateway/journal/entry.ts'
import {
  badRequest,
  type ControlReply,
  json,
  problem,
  refuseAbsent,
  refuseConflict,
  text,
  withHint,
} from '../../http/control/replies.ts'
import {
  type Call,
  type Control,
  described,
  flag,
  object,
  outsideTurns,
  type PlainRoute,
  positive,
  refuseNewWorld,
  replyWith,
  shape,
  string,
  under,
} from '../../http/control/route.ts'
import { WORLD_NAME } from '../../world/world-name.ts'
import { describeAsCurl } from './curl.ts'
import { replay, send } from './send.ts'
import type { Sending } from './types.ts'

const requestIdParameter = {
  id: described('The id of a request.', positive),
} as const
const forgotten = { 404: 'The journal has no such request, or no longer.' } as const
const world = { type: 'string', pattern: WORLD_NAME.source } as const

export const sendRoutes = (control: Control) =>
  outsideTurns(
    under('absent', {
      sendRequest: sendRequest(control),
      getRequest: getRequest(control),
      replayRequest: replayRequest(control),
    }),
  )

const refuseId = (id: number): ControlReply =>
  refuseAbsent(`the journal has no request ${id}; it may have been forgotten to make room`)

/** Describes why a request cannot be sent to a world. */
function refuseTarget({ plan, worlds }: Gateway, name: string | undefined): ControlReply | undefined {
  if (name === undefined) return undefined
  const refusal = refuseNewWorld(name, worlds)
  if (refusal !== undefined) return refusal
  if (name === worlds.default.name || plan.simulation.listen.clientControls) return undefined
  return refuseConflict('requests cannot name a world because listen.clientControls is false')
}

const sendRequest = ({ gateway }: Control): PlainRoute => ({
  at: 'POST /requests',
  summary: 'Sends a request to the API, in process: to try an operation without a client.',
  body: {
    description: 'The request. Its body is a text; `consumer` adds the credential of that consumer.',
    schema: object({
      method: { type: 'string', pattern: "^[A-Z!#$%&'*+.^_`|~0-9-]{1,40}$" },
      path: { type: 'string', pattern: '^/[!-~]*$', maxLength: 8000, description: 'Base path included.' },
      'query?': { type: 'string', pattern: '^[!-~]*$', maxLength: 8000 },
      'headers?': {
        type: 'object',
        maxProperties: 100,
        propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
        additionalProperties: { type: 'string', pattern: '^[\\t -~]*$' },
      },
      'body?': string,
      'world?': world,
      'time?': described('A date, a timestamp or an offset: what `Understudy-Time` takes.'),
      'consumer?': string,
      'credential?': {
        const: 'any',
        description: 'Adds a generated credential, which is accepted if no consumers are configured.',
      },
    }),
  },
  replies: {
    200: replyWith('The request and its reply.', shape('SendResult')),
    409: 'The world does not exist, and sandboxes are off.',
  },
  handle: async ({ body }) => {
    const sending = body as unknown as Sending
    const { consumerNames } = gateway.plan.simulation
    const { consumer } = sending
    if (consumer !== undefined && !consumerNames.includes(consumer)) {
      return badRequest(withHint(`there is no consumer "${consumer}"`, consumer, consumerNames))
    }
    return refuseTarget(gateway, sending.world) ?? json(await send(gateway, sending))
  },
})

const getRequest = ({ gateway, about }: Control): PlainRoute => ({
  at: 'GET /requests/{id}',
  summary: 'One request; as text, a command of curl that sends it again, with credentials masked.',
  parameters: requestIdParameter,
  replies: {
    200: replyWith('The request.', shape('RecordedRequest'), 'text/plain'),
    ...forgotten,
  },
  handle: call => {
    const id = call.parameters.id as number
    const entry = gateway.journal.find(id)
    if (entry === undefined) return refuseId(id)
    return call.prefers('text/plain')
      ? text(describeAsCurl(entry, about.api(), gateway.worlds.default.name))
      : json(describeEntry(entry))
  },
})

const replayRequest = ({ gateway }: Control): PlainRoute => ({
  at: 'POST /requests/{id}/replay',
  summary: 'Sends a request again, in process: to the world that it met, to another, or to a fresh one.',
  parameters: requestIdParameter,
  body: {
    description: 'The target of the request.',
    required: false,
    schema: object({ 'world?': world, 'fresh?': described('A new sandbox.', flag) }),
  },
  replies: {
    200: replyWith('The request and its reply.', shape('SendResult')),
    ...forgotten,
    409: 'The journal did not keep enough of the request, or the world cannot be created.',
  },
  handle: async ({ parameters, body }: Call) => {
    const id = parameters.id as number
    const entry = gateway.journal.find(id)
    if (entry === undefined) return refuseId(id)
    const { world, fresh = false } = (body ?? {}) as { world?: string; fresh?: boolean }
    if (world !== undefined && fresh) return badRequest('"world" and "fresh" exclude each other')
    const name = fresh ? freshName(id, name => gateway.worlds.get(name) !== undefined) : world
    const sent = refuseTarget(gateway, name) ?? (await replay(gateway, entry, name))
    if (typeof sent === 'string') return problem(409, 'not_kept', `request ${id} cannot be sent again: ${sent}`)
    return 'reply' in sent ? json(sent) : sent
  },
})

function freshName(id: number, taken: (name: string) => boolean): string {
  for (let i = 1; ; i++) if (!taken(`again-${id}-${i}`)) return `again-${id}-${i}`
}
