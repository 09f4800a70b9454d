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

  /** @param document the contract; any other value has no operations */
  constructor(document: unknown) {
    const server = memberAt(document, ['servers', 0, 'url'])
    const paths = isObject(document) && isObject(document.paths) ? Object.entries(document.paths) : []
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

  /** Returns the path as it was written, where only the names of its parameters differ. */
  pathOf(path: string): string {
    return this.#operations.find(earlier => nameless(earlier.path) === nameless(path))?.path ?? path
  }

  /** Returns the id of an operation, also of one whose path had a word in place of a parameter. */
  idOf(method: string, path: string): string | undefined {
    const operations = this.#operations.filter(earlier => earlier.method === method)
    const same = operations.find(earlier => nameless(earlier.path) === nameless(path))
    return (same ?? operations.find(earlier => covers(path, earlier.path)))?.id
  }
}

/** Whether a path is another one with parameters in place of words. */
function covers(path: string, other: string): boolean {
  const [segments, words] = [path.split('/'), other.split('/')]
  const isCovered = (segment: string, i: number) => segment === words[i] || /^\{.*\}$/.test(segment)
  return segments.length === words.length && segments.every(isCovered)
}
