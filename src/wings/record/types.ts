// The types of the replies of a recorder. Types only.

/** A recording that was ended. */
export interface StoppedRecording {
  /** The recording. */
  readonly file: string
  readonly exchanges: number
  readonly operations: number
  /** Replies that break the contract. */
  readonly breaking: number
}
