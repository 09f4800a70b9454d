// The first contract of an earlier recording, whose names the next one keeps: a gateway.yaml that a person has changed uses them.

import { nameless } from '../../contract/paths.ts'
import { isObject, memberAt } from '../../kernel/json.ts'

interface EarlierOperation {
  readonly method: string
  /** With the path of the server. */
  readonly path: string
  readonly id: string
}

export class EarlierContract {
  readonly #operations: readonly EarlierOperation[]
  readonly #isUsed: boolean

  /**
   * @param document the contract; any other value has no operations
   * @param isUsed whether a gateway.yaml that is kept needs each of its operations
   */
  constructor(document: unknown, isUsed: boolean) {
    const server = memberAt(document, ['servers', 0, 'url'])
    const paths = isObject(document) && isObject(document.paths) ? Object.entries(document.paths) : []
    this.#isUsed = isUsed
    this.#operations = paths.flatMap(([path, item]) =>
      Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]): EarlierOperation[] => {
        const id = memberAt(operation, ['operationId'])
        if (typeof id !== 'string') return []
        return [{ method: method.toUpperCase(), path: `${typeof server === 'string' ? server : ''}${path}`, id }]
      }),
    )
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#operations.map(({ id }) => id))
  }

  /**
   * Returns the shape of a path in the earlier contract, if that has to stay though the traffic since shows that a word in it is
   * an id; else the shape that it has now.
   */
  shapeOf(path: string, now: string): string {
    if (!this.#isUsed) return now
    const shapes = this.#operations.map(earlier => nameless(earlier.path))
    return shapes.find(shape => covers(now, shape) && covers(shape, path)) ?? now
  }

  /** Returns the path as it was written, where only the names of its parameters differ. */
  pathOf(path: string): string {
    return this.#operations.find(earlier => nameless(earlier.path) === nameless(path))?.path ?? path
  }

  idOf(method: string, path: string): string | undefined {
    return this.#operations.find(earlier => earlier.method === method && nameless(earlier.path) === nameless(path))?.id
  }
}

/** Whether a shape is a path, or another shape, with `{}` in place of some of its words. */
function covers(shape: string, path: string): boolean {
  const [segments, words] = [shape.split('/'), path.split('/')]
  return segments.length === words.length && segments.every((segment, i) => segment === '{}' || segment === words[i])
}
