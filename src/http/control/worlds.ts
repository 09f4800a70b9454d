// The state that requests meet.

import { type Control, DONE, type Route } from './route.ts'

export const worldRoutes = ({ gateway }: Control): Route[] => [
  {
    method: 'POST',
    path: '/reset',
    operation: 'reset',
    summary: 'Begins anew from the seeds; requests under way finish in the world they began in.',
    replies: { 204: { description: 'Done.' } },
    answer: () => {
      gateway.reset()
      return DONE
    },
  },
]
