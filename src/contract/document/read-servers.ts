// Reads servers (OpenAPI "Server Object"): the base paths and the hosts of their URLs.

import { isObject } from '../../kernel/json.ts'
import { childOf, itemsOf, type Node } from '../documents.ts'
import type { ContractReading } from './reading.ts'

interface ServerAddresses {
  /** Distinct, without a trailing slash; at least one. */
  readonly basePaths: readonly string[]
  readonly hosts: readonly string[]
}

/** The maximum number of a variable's values that are served side by side. */
const MOST_PATHS = 32
// A relative URL is resolved against localhost.
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|)$/
const PARTS = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)/i

/** Returns `undefined` without servers: the outer object's servers apply then. */
export function readServers(list: Node, reading: ContractReading): ServerAddresses | undefined {
  const paths = new Set<string>()
  const hosts = new Set<string>()
  for (const server of itemsOf(list)) {
    const url = childOf(server, 'url')
    if (typeof url.value !== 'string') {
      reading.warn('invalid-server', 'a server needs a url', server)
      continue
    }
    // A variable may be more than a segment: `{baseUrl}` is often a whole URL.
    for (const filled of fill(url.value, server, url, reading)) {
      const [, authority = '', path = ''] = PARTS.exec(filled) ?? []
      const host = authority
        .replace(/^[^@]*@/, '')
        .replace(/:\d*$/, '')
        .toLowerCase()
      if (!LOOPBACK.test(host)) hosts.add(host)
      if (paths.size < MOST_PATHS) paths.add(normalise(path))
    }
  }
  return paths.size > 0 ? { basePaths: [...paths], hosts: [...hosts] } : undefined
}

/** Returns the served path: absolute, dots resolved, without a trailing slash. */
export function normalise(path: string): string {
  const base = 'http://localhost/'
  const { pathname } = URL.canParse(path, base) ? new URL(path.replace(/^\/+/, '/'), base) : { pathname: path }
  let decoded = pathname
  try {
    decoded = decodeURI(pathname)
  } catch {}
  return decoded.replace(/\/{2,}/g, '/').replace(/\/+$/, '')
}

/**
 * Returns the text with each variable at its default, then at each of its other values (OpenAPI "Server Variable Object").
 */
function fill(text: string, server: Node, url: Node, reading: ContractReading): string[] {
  let out = ['']
  for (const [index, part] of text.split(/\{([^{}]*)\}/).entries()) {
    const values = index % 2 === 0 ? [part] : valuesOf(part, server, url, reading)
    out = values.flatMap(value => out.map(before => before + value)).slice(0, MOST_PATHS)
  }
  return out
}

function valuesOf(name: string, server: Node, url: Node, reading: ContractReading): string[] {
  const variable = childOf(server, 'variables', name)
  const { default: fallback, enum: values } = isObject(variable.value) ? variable.value : {}
  const listed = Array.isArray(values) ? values.map(String) : []
  if (fallback === undefined || fallback === null) {
    reading.warn('invalid-server', `the server variable ${name} has no default`, url)
    return listed.length > 0 ? listed : ['']
  }
  return [...new Set([String(fallback), ...listed])]
}
