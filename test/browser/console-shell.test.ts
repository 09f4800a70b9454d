// The whole console: it is accessible in both themes and narrow windows, uses its origin only, and asks for a token.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { PROGRAM } from '../support/built-program.ts'
import { until } from '../support/until.ts'
import { sharedBrowser, withoutBrowser } from './chromium.ts'
import { CONFIG, findingsAtWidths, unseenFocus, withConsole } from './console.ts'

const skip = withoutBrowser
const ROOT = join(import.meta.dirname, '../..')
const browser = sharedBrowser()

type Place = readonly [place: string, open?: (page: Page) => Promise<void>]

/** The places of the console, and what is opened there; without those of wings that were taken out. */
const PLACES = onlyThere([
  ['live', page => page.getByRole('button', { name: 'More filters' }).click()],
  ['live?request=1'],
  ['live?request=1&tab=request', page => page.getByRole('button', { name: 'rule' }).click()],
  ['operations?operation=createNote&tab=try'],
  ['operations?operation=createNote&tab=coverage'],
  ['worlds?record=1', refuseRecord],
  ['worlds', page => page.getByRole('button', { name: 'New world' }).click()],
  ['time', page => page.getByRole('gridcell').first().click()],
  ['weather?for=operation:getNote', page => page.getByRole('switch', { name: 'slow' }).click()],
  ['drift'],
  ['next'],
  ['configuration', breakConfiguration],
])

function onlyThere(places: readonly Place[]): readonly Place[] {
  const views = readFileSync(join(ROOT, 'src/console/shell/views.ts'), 'utf8')
  const isThere = (id: string | undefined) => id === undefined || views.includes(`id: '${id}'`)
  return places.filter(([place]) => isThere(/^\w+/.exec(place)?.[0]) && isThere(/tab=(coverage)/.exec(place)?.[1]))
}

async function refuseRecord(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'The record as JSON' }).fill('{"id": 1, "text": ""}')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('must not be empty').waitFor()
}

async function breakConfiguration(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'The configuration as YAML' }).fill('contract: ./openapi.json\nlimts: {}\n')
  await page.getByRole('region', { name: 'Mistakes' }).waitFor()
}

const WEATHER = { config: { ...CONFIG, weather: { slow: { defaults: { latency: { p50: '1ms', p99: '2ms' } } } } } }

test('axe-core finds nothing, and every table can be read, at four widths and in both themes', { skip }, () =>
  withConsole(browser, WEATHER, async ({ page, open, send, elsewhere }) => {
    await send('POST', '/notes', { text: '' })
    await send('GET', '/notes?limit=1000&cursor=a-long-cursor-in-the-query')
    await send('GET', '/old', undefined, {
      'understudy-world': 'a-suite-whose-name-is-as-long-as-names-may-be'.padEnd(64, '-x'),
    })
    const findings: string[] = []
    for (const [place, openMore] of PLACES) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await open(place)
      await page.locator('main .spinner').first().waitFor({ state: 'hidden' })
      await openMore?.(page)
      findings.push(...(await findingsAtWidths(page)).map(finding => `${place}, ${finding}`))
    }
    assert.deepEqual(findings, [])
    assert.deepEqual(elsewhere, [])
  }),
)

test('the chosen theme survives a reload', { skip }, () =>
  withConsole(browser, { context: { colorScheme: 'light' } }, async ({ page, open }) => {
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await open('live')
    const light = await ground()
    await page.getByRole('button', { name: /Theme: system/ }).click()
    await page.getByRole('button', { name: /Theme: light/ }).click()
    await until(async () => (await ground()) !== light)
    await page.reload()
    await page.getByRole('button', { name: /Theme: dark/ }).waitFor()
    await until(async () => (await ground()) !== light)
  }),
)

test('the focus can be seen on every control that the Tab key reaches', { skip }, () =>
  withConsole(browser, WEATHER, async ({ page, open, send }) => {
    await send('GET', '/notes')
    const unseen = new Set<string>()
    for (const [place, openMore] of PLACES.filter(([one]) =>
      /^(?:live\?.*tab|operations|worlds\?|time|weather)/.test(one),
    )) {
      await open(place)
      await page.locator('main .spinner').first().waitFor({ state: 'hidden' })
      await openMore?.(page)
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab')
        unseen.add(await unseenFocus(page))
      }
    }
    assert.deepEqual([...unseen].filter(Boolean), [])
  }),
)

for (const width of [390, 1280]) {
  test(`a message covers nothing in a window of ${width} pixels, and a mistake is in sight`, { skip }, () =>
    withConsole(browser, { context: { viewport: { width, height: 720 } } }, async ({ page, open }) => {
      await open('worlds?record=1')
      const lines = Array.from({ length: 60 }, (_, i) => `"more${i}": ${i}`).join(',\n')
      const record = page.getByRole('textbox', { name: 'The record as JSON' })
      await record.fill(`{"id": 1,\n${lines},\n"text": ""}`)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('region', { name: 'Mistakes' }).waitFor()
      const mistake = page.locator('.cm-lintRange-error')
      await until(async () => {
        const [place, window] = [await mistake.boundingBox(), await page.locator('#main').boundingBox()]
        if (place === null || window === null) return false
        return place.y >= window.y && place.y + place.height <= window.y + window.height
      })
      await record.fill('{"id": 1, "text": "mended"}')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      const message = page.locator('.announcement', { hasText: 'Saved 1.' })
      await message.waitFor()
      const covered = await page.evaluate(`(() => {
        const message = document.querySelector('.announcement')
        const { left, right, top, bottom } = message.getBoundingClientRect()
        const points = [left + 1, (left + right) / 2, right - 1].flatMap(x => [top + 1, bottom - 1].map(y => [x, y]))
        const below = points.flatMap(([x, y]) => document.elementsFromPoint(x, y)).filter(one => !one.contains(message))
        return below.map(one => one.outerHTML)
      })()`)
      assert.deepEqual(covered, [])
    }),
  )
}

test('the keyboard reaches the content and the list', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await send('GET', '/notes')
    await send('GET', '/notes/1')
    await open('live')
    await page.getByText('2 requests').waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Skip to the content' }).press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.locator('[aria-rowindex="3"][aria-selected="true"]').waitFor()
    await page.getByRole('tab', { name: 'Why' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: 'Request', selected: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('complementary').waitFor({ state: 'hidden' })
  }),
)

test('the console asks for the token once, and again only if it is wrong', { skip }, () =>
  withProgram([], { UNDERSTUDY_CONTROL_TOKEN: 'the-token' }, async (control, context) => {
    const page = await context.newPage()
    await page.goto(`${control}/#/live`)
    const question = page.getByRole('dialog', { name: 'This control plane asks for a token' })
    await question.getByLabel('Control token').fill('another')
    await page.keyboard.press('Enter')
    await question.getByText('the bearer token is wrong').waitFor()
    await question.getByLabel('Control token').fill('the-token')
    await page.keyboard.press('Enter')
    await page.getByText('Waiting for the first request').waitFor()
    assert.equal(await question.count(), 0)
    await page.reload()
    await page.getByText('Waiting for the first request').waitFor()
    assert.equal(await question.count(), 0)
    // Another tab does not have the token.
    const other = await context.newPage()
    await other.goto(`${control}/#/live`)
    await other.getByRole('dialog').waitFor()
  }),
)

test('the console says that it cannot show the requests of several processes', { skip }, () =>
  withProgram([STATELESS, '--workers', '2'], {}, async (control, context) => {
    const page = await context.newPage()
    await page.goto(`${control}/#/live`)
    await page.getByText('2 processes serve this API').waitFor()
  }),
)

const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(folder, { recursive: true }))
/** The path of a contract without state that processes would share. */
const STATELESS = join(folder, 'openapi.json')
const ping = { get: { operationId: 'ping', responses: { 204: { description: 'Here.' } } } }
writeFileSync(
  STATELESS,
  JSON.stringify({ openapi: '3.1.0', info: { title: 'Ping', version: '1' }, paths: { '/ping': ping } }),
)

type Use = (control: string, context: BrowserContext) => Promise<void>

/** Starts the built program with further arguments, runs `use` with the address of its control plane, and ends it. */
async function withProgram(args: readonly string[], env: Readonly<Record<string, string>>, use: Use): Promise<void> {
  const program = spawn(process.execPath, [PROGRAM, 'serve', ...args, '--port', '0', '--control-port', '0'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  const context = await browser().newContext()
  try {
    await use(await addressOf(program.stdout), context)
  } finally {
    await context.close()
    program.kill()
    await ended
  }
}

/** Reads the address of the control plane from what the program prints when it is ready. */
async function addressOf(output: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const piece of output) {
    text += piece.toString()
    const found = /Control plane\s+(http:\/\/\S+)/.exec(text)?.[1]
    if (found !== undefined) return found
  }
  throw new Error(`the program ended: ${text}`)
}
