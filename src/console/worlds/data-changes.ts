// Counts changes of records that were made on this page, so that tables load them anew.

import { signal } from '@preact/signals'

export const dataRevision = signal(0)

export const dataChanged = (): void => {
  dataRevision.value += 1
}
