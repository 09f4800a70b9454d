// The route of the differences between contract, stand-in and real API.

import { Mask } from '../../gateway/mask.ts'
import { json } from './replies.ts'
import {
  type Control,
  dateTime,
  described,
  list,
  natural,
  object,
  positive,
  replyWith,
  string,
  under,
} from './route.ts'

const driftSchema = object({
  findings: list(
    object({
      operation: string,
      kind: described('In kebab-case, such as `missing-field`.'),
      part: described('The part of the contract, independent of lines: its file and a JSON Pointer.'),
      place: described('The file, line and column of the part.'),
      where: described('The place in the reply: `status`, `header NAME`, or a JSON Pointer in which `*` is any item.'),
      contract: described('The claim of the contract.'),
      'standIn?': described('The answer of the stand-in, if it was asked, too.'),
      upstream: described('The answer of the real API.'),
      consumers: list(string),
      count: positive,
      firstSeen: dateTime,
      lastSeen: dateTime,
      example: described('A request that met it, with credentials masked, and the status of its reply.'),
    }),
  ),
  omitted: described('The differences that are not kept because there are too many.', natural),
  compared: described('The replies that were compared.', natural),
  dropped: described('The replies that were not compared because there were too many.', natural),
})

export const driftRoutes = ({ gateway }: Control) =>
  under('absent', {
    getDrift: {
      at: 'GET /drift',
      summary:
        'The differences between the replies of the real API and the contract, since the configuration was loaded.',
      replies: { 200: replyWith('The findings, by operation and part.', driftSchema) },
      handle: () => json(gateway.drift.report(new Mask(gateway.plan))),
    },
  })
