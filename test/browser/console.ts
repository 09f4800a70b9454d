// The console in a browser: the built gateway, a tab with its page, and a list of requests to other origins.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, ConsoleMessage, Page, Request } from 'playwright-core'
import type { RunningGateway, StartOptions } from '../../src/index.ts'
import { LIBRARY } from '../support/built-program.ts'

type Library = { readonly startGateway: (options: StartOptions) => Promise<RunningGateway> }
const library = import(pathToFileURL(LIBRARY).href) as Promise<Library>
export const startGateway: Library['startGateway'] = async options => (await library).startGateway(options)

const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
const note = { $ref: '#/components/schemas/Note' }

/** A small API with a resource, a credential and an operation that ends. */
export const CONFIG = {
  contract: {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    servers: [{ url: '/v1' }],
    components: {
      schemas: {
        Note: {
          type: 'object',
          required: ['text'],
          properties: {
            id: { type: 'integer', readOnly: true },
            text: { type: 'string', minLength: 1 },
            colour: { type: 'string', enum: ['yellow', 'blue'] },
          },
        },
      },
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } },
    },
    security: [{ key: [] }],
    paths: {
      '/notes': {
        get: {
          operationId: 'listNotes',
          summary: 'The notes.',
          tags: ['notes'],
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } }],
          responses: { 200: json('The notes.', { type: 'array', items: note }) },
        },
        post: {
          operationId: 'createNote',
          summary: 'Keeps a note.',
          tags: ['notes'],
          requestBody: { required: true, content: { 'application/json': { schema: note } } },
          responses: { 201: json('The note.', note), 400: { description: 'It is refused.' } },
        },
      },
      '/notes/{noteId}': {
        parameters: [{ name: 'noteId', in: 'path', required: true, schema: { type: 'integer' }, example: 1 }],
        get: { operationId: 'getNote', tags: ['notes'], responses: { 200: json('The note.', note) } },
      },
      '/old': {
        get: {
          operationId: 'getOld',
          responses: { 200: json('Old.', { type: 'object' }), 410: { description: 'Gone' } },
        },
      },
    },
  },
  consumers: { frontend: { key: 'frontend-key' }, backend: { key: 'backend-key' } },
  resources: { notes: { schema: 'Note', seed: [{ id: 1, text: 'first' }] } },
  operations: {
    listNotes: { respond: { list: 'notes', limit: 'limit' } },
    createNote: { respond: { create: 'notes' } },
    getNote: { respond: { read: 'notes' } },
    getOld: { deprecation: { since: '2020-01-01', sunset: '2100-01-01' } },
  },
}

export interface OpenConsole {
  readonly gateway: RunningGateway
  readonly page: Page
  /** Opens a place of the console: `live?status=5xx`. */
  open(place: string): Promise<void>
  /** Opens the live view and waits until it listens. */
  watch(): Promise<void>
  /** Sends a request to the API as the consumer `frontend`. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** Addresses of other origins that the page requested. */
  readonly elsewhere: readonly string[]
}

export interface ConsoleOptions {
  readonly config?: object
  readonly start?: Partial<StartOptions>
  readonly context?: BrowserContextOptions
}

/** A page that the tests of a browser share: a new context takes a process, and four times as long. */
const kept = new WeakMap<Browser, Page>()

/** Returns a page with these options, and a function that closes it or makes it blank. */
async function pageOf(browser: Browser, { colorScheme = 'light', viewport, ...more }: BrowserContextOptions) {
  const size = viewport ?? { width: 1280, height: 720 }
  // Animations would be drawn while a test waits.
  const media = { colorScheme, reducedMotion: 'reduce' } as const
  if (Object.keys(more).length > 0) {
    const context = await browser.newContext({ ...media, ...more, viewport: size })
    return { page: await context.newPage(), leave: () => context.close() }
  }
  // Each gateway has another port, so that the page stores nothing that a later test sees.
  const last = kept.get(browser)
  const page = last?.isClosed() === false ? last : await browser.newPage()
  kept.set(browser, page)
  await page.emulateMedia(media)
  await page.setViewportSize(size)
  return { page, leave: async () => void (page.isClosed() || (await page.goto('about:blank'))) }
}

/**
 * Starts a gateway, opens the console, runs `use`, and ends both. Errors of the page and violations of its policy fail the
 * test.
 */
export async function withConsole(
  browser: () => Browser,
  { config = CONFIG, start = {}, context: options = {} }: ConsoleOptions,
  use: (console: OpenConsole) => Promise<void>,
): Promise<void> {
  const { page, leave } = await pageOf(browser(), options)
  const gateway = await startGateway({ config, host: '127.0.0.1', ...start })
  const elsewhere: string[] = []
  const broken: string[] = []
  const noteAddress = (request: Request) => {
    if (!request.url().startsWith(`${gateway.control}/`) && !request.url().startsWith('data:'))
      elsewhere.push(request.url())
  }
  const noteError = (error: Error) => broken.push(String(error.stack))
  const noteRefused = (message: ConsoleMessage) => {
    if (message.text().includes('Content Security Policy')) broken.push(message.text())
  }
  page.on('request', noteAddress).on('pageerror', noteError).on('console', noteRefused)
  const open = async (place: string): Promise<void> => {
    await page.goto(`${gateway.control}/#/${place}`)
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
  }
  const watch = async (): Promise<void> => {
    const listening = page.waitForResponse(reply => reply.url().includes('/requests/stream'))
    await open('live')
    await listening
  }
  const send: OpenConsole['send'] = (method, path, body, headers = {}) =>
    fetch(`${gateway.url}${path}`, {
      method,
      headers: { 'x-key': 'frontend-key', 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  try {
    await use({ gateway, page, open, watch, send, elsewhere })
    assert.deepEqual(broken, [])
    assert.deepEqual(elsewhere, [])
  } finally {
    page.off('request', noteAddress).off('pageerror', noteError).off('console', noteRefused)
    await leave()
    await gateway.close()
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Returns what axe-core finds on the page as it is, a line for each: by these rules, or by all. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`)
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) })
  const violations = (await page.evaluate(`axe.run(${options}).then(result => result.violations)`)) as Violation[]
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Returns what cannot be read of the tables on the page: cells that are cut, and tables that no key scrolls to their end. */
export const unreadableCells = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main :is(th, td, [role=gridcell], [role=columnheader])')].flatMap(cell => {
    let box = cell.parentElement
    while (box !== document.body && getComputedStyle(box).overflowX === 'visible') box = box.parentElement
    if (cell.offsetWidth === 0) return [cell.textContent + ' is hidden']
    if (cell.scrollWidth > cell.clientWidth + 1) return [cell.textContent + ' is cut']
    return box.scrollWidth > box.clientWidth && box.tabIndex !== 0 ? [cell.textContent + ' is out of reach'] : []
  })`)

/** Returns what axe-core finds and what cannot be read at four widths, and in dark colours, which no width changes. */
export async function findingsAtWidths(page: Page): Promise<string[]> {
  const findings: string[] = []
  for (const width of [390, 768, 1280, 1920]) {
    await page.setViewportSize({ width, height: 800 })
    const found = [...(await axeFindings(page)), ...(await unreadableCells(page))]
    const taken = await page.evaluate('document.documentElement.scrollWidth')
    if (taken !== width) found.push(`the page takes ${taken}`)
    findings.push(...found.map(finding => `${width}: ${finding}`))
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  findings.push(...(await axeFindings(page, ['color-contrast'])).map(finding => `dark: ${finding}`))
  await page.emulateMedia({ colorScheme: 'light' })
  return findings
}

/** Returns why the focus cannot be seen where it is: no outline, or one that is cut on two sides; empty if it can. */
export const unseenFocus = (page: Page): Promise<string> =>
  page.evaluate(`(async () => {
    const { activeElement: focused, body } = document
    // The editor takes note of its focus a moment later.
    if (focused.shadowRoot) await new Promise(resolve => setTimeout(resolve, 100))
    const ring = focused.shadowRoot?.querySelector('.cm-focused') ?? focused
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(ring)
    const room = parseFloat(outlineWidth) + parseFloat(outlineOffset)
    if (focused === body) return ''
    if (outlineStyle !== 'solid' || !(parseFloat(outlineWidth) >= 2)) return 'no outline: ' + focused.outerHTML
    const { left, right, top, bottom } = ring.getBoundingClientRect()
    for (let box = ring.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowX === 'visible') continue
      const place = box.getBoundingClientRect()
      const sides = [left - room < place.left, right + room > place.right, top - room < place.top, bottom + room > place.bottom]
      if (sides.filter(Boolean).length > 1) return 'cut: ' + focused.outerHTML
    }
    return ''
  })()`)
