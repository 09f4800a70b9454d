// The whole console: it is accessible in both themes and narrow windows, uses its origin only, and asks for a token.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { PROGRAM } from '../support/built-program.ts'
import { until } from '../support/until.ts'
import { sharedBrowser, withoutBrowser } from './chromium.ts'
import { seriousFindings, withConsole } from './console.ts'

const skip = withoutBrowser
const ROOT = join(import.meta.dirname, '../..')
const browser = sharedBrowser()

const titlesOf = (page: Page): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('listitem').allInnerTexts()

/** Opens every view once, and the first entry in it. */
async function visit(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await page.locator('main .spinner').first().waitFor({ state: 'hidden' })
}

test('axe-core finds nothing serious in both themes, and no request leaves the origin', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send, elsewhere }) => {
    await send('POST', '/notes', { text: '' })
    await send('GET', '/notes')
    await open('live')
    const findings: string[] = []
    const examine = async (place: string) => {
      // The themes differ in colours only.
      for (const [colorScheme, rules] of [['dark', ['color-contrast']], ['light']] as const) {
        await page.emulateMedia({ colorScheme })
        findings.push(...(await seriousFindings(page, rules)).map(finding => `${place}, ${colorScheme}: ${finding}`))
      }
    }
    for (const title of await titlesOf(page)) {
      await visit(page, title)
      await examine(title)
    }
    for (const place of ['live?request=1', 'live?request=1&tab=request', 'operations?operation=createNote&tab=try']) {
      await open(place)
      await page.getByRole('complementary').getByRole('tabpanel').waitFor()
      await examine(place)
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

test('no view overflows a narrow window', { skip }, () =>
  withConsole(browser, { context: { viewport: { width: 360, height: 700 } } }, async ({ page, open, send }) => {
    await send('GET', '/notes')
    for (const place of ['live', 'live?request=1', 'operations', 'operations?operation=createNote&tab=try']) {
      await open(place)
      await page.locator('main .spinner').first().waitFor({ state: 'hidden' })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, place)
    }
  }),
)

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
