// A list of refusals by the place that each concerns.

import type { RecordFault } from './record-form.ts'

/** Refusals that have no field to appear at. */
export const Faults = ({ faults }: { faults: readonly RecordFault[] }) =>
  faults.length === 0 ? null : (
    <ul class="faults" role="alert">
      {faults.map(({ pointer, message }) => (
        <li key={pointer + message}>
          {pointer === '' ? null : <code>{pointer}</code>} {message}
        </li>
      ))}
    </ul>
  )
