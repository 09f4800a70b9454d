// Overlays: documents that change a contract (OpenAPI Overlay 1.0 and 1.1), and the command that prints the result.

import type { Wing } from '../../cli/command.ts'
import { contract } from './contract-command.ts'
import { overlayLayers } from './contract-file.ts'

export const overlay: Wing = {
  name: 'overlay',
  layers: overlayLayers,
  commands: { contract },
  reading: {
    options: {
      overlay: { takes: 'FILE', about: 'apply this overlay to the contract; several in their order', many: true },
    },
    read: ({ lists }) => ({ layers: lists.overlay }),
  },
}
