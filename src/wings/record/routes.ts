// The route of a recorder.

import { json, problem } from '../../http/control/replies.ts'
import { type Control, outsideTurns, replyWith, shape, under } from '../../http/control/route.ts'
import { recordingObserver } from './observe.ts'

export const recordingRoutes = ({ gateway }: Control) =>
  outsideTurns(
    under('absent', {
      stopRecording: {
        at: 'POST /recordings/stop',
        summary: 'Ends `understudy record --upstream`, which then makes a project of the recording.',
        replies: { 202: replyWith('It ends.', shape('StoppedRecording')), 409: 'This program records nothing.' },
        handle: async () => {
          const stopped = await gateway.observed(recordingObserver).stop?.()
          if (stopped !== undefined) return json(stopped, 202)
          return problem(409, 'not_recording', 'this gateway records nothing; start understudy record --upstream')
        },
      },
    }),
  )
