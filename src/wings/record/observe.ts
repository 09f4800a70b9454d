// The recording of a gateway, if it is that of a recorder.

import type { Observer } from '../../gateway/observer.ts'

interface Recording {
  /** Ends it and returns its counts; set by the recorder. */
  stop?: () => Promise<object>
}

export const recordingObserver: Observer<Recording> = {
  name: 'recording',
  open: () => ({}),
  compile: () => undefined,
}
