// The route of the differences between contract, stand-in and real API.

import { Mask } from '../../gateway/mask.ts'
import { json } from './replies.ts'
import { type Control, replyWith, shape, under } from './route.ts'

export const driftRoutes = ({ gateway }: Control) =>
  under('absent', {
    getDrift: {
      at: 'GET /drift',
      summary:
        'The differences between the replies of the real API and the contract, since the configuration was loaded.',
      replies: { 200: replyWith('The findings, by operation and part.', shape('LiveDriftReport')) },
      handle: () => json(gateway.drift.report(new Mask(gateway.plan))),
    },
  })
