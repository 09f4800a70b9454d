// Notices that the heap is about to end, before the engine ends the process with a stack trace (SIGABRT, 134).

import type { Session } from 'node:inspector'
import { heapLimit, heapUsed } from './budget.ts'
import { afterCollections } from './clock.ts'

/**
 * With more free bytes the heap does not end before the next look, which follows each full collection: the engine collects when
 * half of the free memory is used up, and one turn of the event loop uses less than this.
 */
const ROOM = 192e6

/** The share of a large heap that must be free. */
const SHARE = 0.25

/** With so many times the room nothing listens any more. */
const AMPLE = 1.2

/**
 * Calls `task` when objects need more memory than the heap may take, even in the middle of a synchronous step, until the answer
 * is called. The task should end the process: it is called at any point of the program.
 *
 * Only a debugger learns of it from the engine (pause reason `OOM`), which then allows some times the limit. Promises are slower
 * while there is a debugger, so that it is connected only while the free memory is small.
 */
export function beforeHeapEnds(task: () => void, limit = heapLimit()): () => void {
  const room = Math.max(ROOM, SHARE * limit)
  let stopped = false
  let session: Session | undefined
  let opening = false
  const look = () => {
    const free = limit - heapUsed()
    if (free > AMPLE * room) {
      session?.disconnect()
      session = undefined
    } else if (free < room && session === undefined && !opening) {
      opening = true
      void listen(task).then(
        opened => {
          opening = false
          if (stopped) opened.disconnect()
          else session = opened
        },
        // This Node was built without debugger.
        () => {},
      )
    }
  }
  const leave = afterCollections(look)
  look()
  return () => {
    stopped = true
    leave()
    session?.disconnect()
  }
}

/** Opens a session of the debugger that listens for the end of the heap. */
async function listen(task: () => void): Promise<Session> {
  const { Session } = await import('node:inspector')
  const session = new Session()
  session.connect()
  session.on('Debugger.paused', ({ params }) => {
    if (params.reason === 'OOM') task()
  })
  session.post('Debugger.enable', { maxScriptsCacheSize: 0 })
  return session
}
