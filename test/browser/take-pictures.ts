// Takes the pictures of docs/console.md anew, from the build of the sources: npx tsx test/browser/take-pictures.ts

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import type { RunningGateway, StartOptions } from '../../src/index.ts'
import { LIBRARY } from '../support/built-program.ts'
import { launch } from './chromium.ts'

const PICTURES = join(import.meta.dirname, '../../docs/pictures')

type Library = { readonly startGateway: (options: StartOptions) => Promise<RunningGateway> }
const { startGateway } = (await import(pathToFileURL(LIBRARY).href)) as Library

/** Requests of several consumers, of which some are refused. */
const REQUESTS: readonly (readonly [method: string, path: string, key?: string, body?: string])[] = [
  ...Array.from(
    { length: 24 },
    (_, i) => ['GET', ['/pets', '/pets?status=available&limit=2', `/pets/${i}`][i % 3] ?? ''] as const,
  ),
  ['GET', '/pets', 'unknown-key'],
  ['GET', '/pet'],
  ['POST', '/pets', 'frontend-key', '{"name":"Rex","categoryId":1}'],
  ['GET', '/store/orders'],
  ['GET', '/pets?limit=5', 'demo-key'],
  ['POST', '/pets', 'frontend-key', '{"name":"Rex"}'],
]

const browser = await launch()
const gateway = await startGateway({ config: 'config/gateway.yaml', host: '127.0.0.1', port: 0, controlPort: 0 })
try {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en',
    colorScheme: 'light',
  })
  const page = await context.newPage()
  await open(page, 'live')
  for (const [method, path, key = 'frontend-key', body] of REQUESTS) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    await fetch(`${gateway.url}${path}`, { method, headers, ...(body !== undefined && { body }) })
  }
  await page.getByRole('grid').getByText('400').first().click()
  await page.getByRole('complementary', { name: 'The chosen request' }).getByText('validate').first().waitFor()
  await take(page, 'live')
  await open(page, 'operations?operation=listPets')
  await page.getByText('Path of a request').waitFor()
  await take(page, 'operations')
  await open(page, 'operations?operation=getPet&tab=next')
  await page.getByRole('button', { name: 'A server error' }).click()
  await take(page, 'answer-next')
  await open(page, 'worlds?world=default')
  await page.getByRole('grid').getByText('Milo').first().click()
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
  await take(page, 'worlds')
  await open(page, 'time')
  await page.getByRole('tab', { name: 'Calendar' }).waitFor()
  await take(page, 'time')
  await page.emulateMedia({ colorScheme: 'dark' })
  await open(page, 'weather')
  await page.getByRole('heading').first().waitFor()
  await take(page, 'weather')
} finally {
  await browser.close()
  await gateway.close()
}

async function open(page: Page, place: string): Promise<void> {
  await page.goto(`${gateway.control}/#/${place}`)
  await page.getByRole('navigation', { name: 'Views' }).waitFor()
}

/** Writes a picture once the page has loaded its data. */
async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(2000)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 })
  writeFileSync(join(PICTURES, `console-${name}.webp`), Buffer.from(data, 'base64'))
}
