// The names that schemas give themselves inside one document: `$id`, `$anchor`, `$dynamicAnchor` (JSON Schema 2020-12
// §8.2), and OpenAPI 3.2's `$self`. Depends on the places of names, not on the meaning of schemas.

import { isObject } from '../kernel/json.ts'
import type { Path } from '../kernel/source.ts'

export interface Identifiers {
  /** The path of each schema by the absolute URI of its `$id`. */
  readonly byUri: ReadonlyMap<string, Path>
  /** Returns the schema resource that contains a path: its base URI and its root. */
  resourceOf(path: Path): { readonly uri: string; readonly path: Path }
  /** Returns the path of an anchor inside a resource. */
  anchor(resource: Path, name: string): Path | undefined
  /** The dynamic anchors at a schema, and in its own `$defs`. */
  dynamicAnchors(path: Path): ReadonlyMap<string, Path>
}

/** Keywords whose values are data and not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'value'])

interface SchemaResource {
  readonly uri: string
  readonly path: Path
}

/** @param uri of the document itself */
export function readIdentifiers(value: unknown, uri: string): Identifiers {
  const self = isObject(value) && typeof value.$self === 'string' ? absolute(value.$self, uri) : undefined
  const root: SchemaResource = { uri: self ?? uri, path: [] }
  const byUri = new Map<string, Path>(self === undefined ? [] : [[self, []]])
  const resources = new Map<string, SchemaResource>()
  const anchors = new Map<string, Path>()
  const dynamic = new Map<string, [string, Path][]>()

  // The walk changes one path and copies it for each name: documents are large and names are few.
  const trail: (string | number)[] = []
  const visit = (node: object, resource: SchemaResource): void => {
    const here = Array.isArray(node) ? resource : name(node as Record<string, unknown>, resource)
    for (const key of Object.keys(node)) {
      const child: unknown = (node as Record<string, unknown>)[key]
      if (typeof child !== 'object' || child === null || DATA.has(key)) continue
      trail.push(Array.isArray(node) ? Number(key) : key)
      visit(child, here)
      trail.pop()
    }
  }
  const name = (node: Record<string, unknown>, resource: SchemaResource): SchemaResource => {
    let here = resource
    if (typeof node.$id === 'string' && trail.length > 0) {
      const id = absolute(node.$id.split('#', 1)[0] as string, resource.uri)
      if (id !== undefined) {
        here = { uri: id, path: [...trail] }
        byUri.set(id, here.path)
        resources.set(trail.join('\n'), here)
      }
    }
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = node[keyword]
      if (typeof anchor !== 'string') continue
      const path = [...trail]
      anchors.set(`${here.path.join('\n')}#${anchor}`, path)
      if (!anchors.has(`#${anchor}`)) anchors.set(`#${anchor}`, path)
      if (keyword !== '$dynamicAnchor') continue
      const owner = (path.length >= 2 && path.at(-2) === '$defs' ? path.slice(0, -2) : path).join('\n')
      dynamic.set(owner, [...(dynamic.get(owner) ?? []), [anchor, path]])
    }
    return here
  }
  if (typeof value === 'object' && value !== null) visit(value, root)

  return {
    byUri,
    resourceOf(path) {
      if (resources.size === 0) return root
      for (let length = path.length; length > 0; length--) {
        const found = resources.get(path.slice(0, length).join('\n'))
        if (found !== undefined) return found
      }
      return root
    },
    anchor: (resource, name) => anchors.get(`${resource.join('\n')}#${name}`) ?? anchors.get(`#${name}`),
    dynamicAnchors: path => (dynamic.size === 0 ? NONE : new Map(dynamic.get(path.join('\n')) ?? [])),
  }
}

const NONE: ReadonlyMap<string, Path> = new Map()

const absolute = (reference: string, base: string): string | undefined =>
  URL.canParse(reference, base) ? new URL(reference, base).href : undefined
