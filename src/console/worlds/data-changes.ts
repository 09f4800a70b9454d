// Counts changes of records that this page made, so that tables load them again.

import { signal } from '@preact/signals'

export const dataRevision = signal(0)

export const dataChanged = (): void => {
  dataRevision.value += 1
}
