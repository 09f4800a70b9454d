// Passes the changes of a collection to a recorder.

import { Counts } from './counts.ts'
import { type CollectionState, type Recorder, type WorldEffect, worldChange } from './effects.ts'
import { RecordedPlace } from './recorded-place.ts'
import { type Row, RowChange } from './row-change.ts'

interface Stated {
  state(): CollectionState
}

export class CollectionRecording {
  #recorder: Recorder | undefined
  #place = new RecordedPlace('', '')
  /** The counters that were last recorded. */
  readonly #told = new Counts()

  /** Whether there is a recorder. */
  get attached(): boolean {
    return this.#recorder !== undefined
  }

  attach(recorder: Recorder | undefined, place = this.#place): void {
    this.#recorder = recorder
    this.#place = place
  }

  /** Must be called with the counters of each change that is not recorded. */
  follow(counts: Counts): void {
    this.#told.copy(counts)
  }

  /**
   * @param row the record after the change, and `old` before it; `undefined` if there is none
   * @param evicted another record, which was evicted for this one
   */
  tell(row: Row | undefined, old: Row | undefined, counts: Counts, evicted?: Row): void {
    if (this.#recorder === undefined) return
    this.#recorder.record(new RowChange(this.#place, row, old, evicted, counts, this.#told))
    this.#told.copy(counts)
  }

  /** All records are others. The states are read when somebody needs them. */
  tellAll(after: Stated, before: Stated): void {
    const { world, collection } = this.#place
    const replacing = (by: Stated): WorldEffect => ['in', collection, ['all', () => by.state()]]
    this.#recorder?.record(worldChange(world, replacing(after), replacing(before)))
  }
}
