// How the settings of a folder name a file.

import { relative } from 'node:path'

/** Returns the name of a file as a gateway.yaml in `folder` refers to it: `./api.yaml`. */
export const referenceTo = (folder: string, path: string): string =>
  `./${relative(folder, path).replaceAll('\\', '/')}`.replace(/^\.\/\.\.\//, '../')
