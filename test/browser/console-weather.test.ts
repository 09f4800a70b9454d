// View 5 of the console: weather is set by switches and sliders, and shown beside its measured effect.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { until } from '../support/until.ts'
import { sharedBrowser, withoutBrowser } from './chromium.ts'
import { CONFIG, withConsole } from './console.ts'

const skip = withoutBrowser
const browser = sharedBrowser()

const STORMY = {
  config: {
    ...CONFIG,
    weather: {
      storm: { defaults: { fault: { kind: 'status', status: 503, probability: 1 } } },
      slow: { operations: { getNote: { latency: { p50: '5ms', p95: '20ms', p99: '50ms' } } } },
    },
  },
}

/** Moves a slider as a person does with the keyboard, and lets it go. */
async function slide(slider: Locator, key: string, times: number): Promise<void> {
  await slider.focus()
  for (let i = 0; i < times; i++) await slider.press(key)
  await slider.blur()
}

const weatherAt = async (url: string): Promise<Record<string, unknown>> =>
  (await (await fetch(url)).json()) as Record<string, unknown>

test('a preset is switched on and off', { skip }, () =>
  withConsole(browser, STORMY, async ({ page, open, send }) => {
    await open('weather')
    assert.equal(await page.getByRole('switch', { name: 'Clear' }).getAttribute('aria-checked'), 'true')
    await page.getByRole('switch', { name: 'storm' }).click()
    await page.locator('[role=switch][aria-checked=true]', { hasText: 'storm' }).waitFor()
    assert.equal((await send('GET', '/notes/1')).status, 503)
    await page.getByRole('switch', { name: 'storm' }).click()
    await page.locator('[role=switch][aria-checked=true]', { hasText: 'Clear' }).waitFor()
    assert.equal((await send('GET', '/notes/1')).status, 200)
  }),
)

test('latency is set for one world alone, and is measured there', { skip }, () =>
  withConsole(browser, STORMY, async ({ page, open, send, gateway }) => {
    gateway.world('slow-lane')
    await open('weather?world=slow-lane')
    const latency = page.getByRole('group', { name: 'Latency' })
    await slide(latency.getByRole('slider', { name: 'p50' }), 'PageUp', 4)
    await page.locator('.announcement', { hasText: 'The weather over slow-lane has changed.' }).first().waitFor()
    const { blocks } = (await weatherAt(`${gateway.control}/worlds/slow-lane/weather`)) as {
      blocks: { defaults: { latency: object } }
    }
    assert.ok(blocks.defaults.latency)
    assert.deepEqual((await weatherAt(`${gateway.control}/weather`)).blocks, {}, 'the weather over all is clear')
    for (let i = 0; i < 5; i++) await send('GET', '/notes/1', undefined, { 'understudy-world': 'slow-lane' })
    const row = page.getByRole('region', { name: 'Table of measured times' }).getByRole('row', { name: /getNote/ })
    await row.getByText('5', { exact: true }).waitFor()
    const cells = await row.locator('.meter-cell').allTextContents()
    assert.equal(cells.length, 3)
    for (const cell of cells) assert.match(cell, /^[\d.]+ m?s \/ [\d.]+ m?s$/, 'measured, and wished')
  }),
)

test('an error rate and a limit are set for one operation, and the others stay as they are', { skip }, () =>
  withConsole(browser, STORMY, async ({ page, open, send, gateway }) => {
    await open('weather')
    await page.getByLabel('What the settings are for').selectOption('operation:getNote')
    assert.match(decodeURIComponent(page.url()), /for=operation:getNote/)
    await page.getByRole('group', { name: 'Faults' }).getByLabel('Error code').selectOption('500')
    await slide(page.getByRole('slider', { name: 'Error status' }), 'End', 1)
    await page.locator('.announcement', { hasText: 'has changed' }).first().waitFor()
    assert.equal((await send('GET', '/notes/1')).status, 500)
    assert.equal((await send('GET', '/notes')).status, 200)
    await slide(page.getByRole('slider', { name: 'Requests a minute' }), 'End', 1)
    await page
      .getByRole('row', { name: /getNote/ })
      .getByText('10000 a minute')
      .waitFor()
    const { blocks } = await weatherAt(`${gateway.control}/weather`)
    assert.deepEqual(blocks, {
      operations: {
        getNote: {
          fault: { kind: 'status', status: 500, probability: 1 },
          rateLimit: { limit: '10000/min' },
        },
      },
    })
    await page.getByRole('switch', { name: 'Clear' }).click()
    await page.locator('[role=switch][aria-checked=true]', { hasText: 'Clear' }).waitFor()
    assert.equal((await send('GET', '/notes/1')).status, 200)
  }),
)

test('the operations of a tag fail and are counted, others do not', { skip }, () =>
  withConsole(browser, STORMY, async ({ page, open, send }) => {
    await open('weather')
    await page.getByLabel('What the settings are for').selectOption('tag:notes')
    await slide(page.getByRole('slider', { name: 'Error status' }), 'End', 1)
    await page.locator('.announcement', { hasText: 'has changed' }).first().waitFor()
    assert.equal((await send('GET', '/notes')).status, 503)
    assert.equal((await send('GET', '/notes/1')).status, 503)
    assert.equal((await send('GET', '/old')).status, 200)
    const table = page.getByRole('region', { name: 'Table of measured times' })
    await table
      .getByRole('row', { name: /^getNote.*100 %.*1/ })
      .getByText('100 %')
      .first()
      .waitFor()
    assert.equal(await table.getByRole('row', { name: /getOld/ }).count(), 0)
    await page.reload()
    assert.equal(await page.getByRole('slider', { name: 'Error status' }).getAttribute('aria-valuetext'), '100 %')
  }),
)

test('latency of one consumer is measured for that consumer only', { skip }, () =>
  withConsole(browser, STORMY, async ({ gateway, page, open, send }) => {
    await open('weather?for=consumer%3Afrontend')
    const latency = page.getByRole('group', { name: 'Latency' })
    await slide(latency.getByRole('slider', { name: 'p50' }), 'PageUp', 4)
    const wished = Number(/^([\d.]+) ms$/.exec(await latency.locator('output').first().innerText())?.[1])
    // Each key may change the weather once; this waits for the last change.
    await until(async () => JSON.stringify(await weatherAt(`${gateway.control}/weather`)).includes(`"${wished}ms"`))
    for (let i = 0; i < 3; i++) await send('GET', '/notes/1')
    await send('GET', '/notes/1', undefined, { 'x-key': 'backend-key' })
    const row = page.getByRole('region', { name: 'Table of measured times' }).getByRole('row', { name: /getNote/ })
    await row.getByText('3', { exact: true }).waitFor()
    const measured = Number(/^([\d.]+) ms/.exec((await row.locator('.meter-cell').first().textContent()) ?? '')?.[1])
    assert.ok(wished > 0 && measured >= wished * 0.9, `${measured} ms measured, ${wished} ms wished`)
  }),
)

test('one consumer has its weather', { skip }, () =>
  withConsole(browser, STORMY, async ({ page, open, send }) => {
    await open('weather?for=consumer%3Afrontend')
    await slide(page.getByRole('slider', { name: 'Error status' }), 'End', 1)
    await page.locator('.announcement', { hasText: 'has changed' }).first().waitFor()
    assert.equal((await send('GET', '/notes/1')).status, 503)
    assert.equal((await send('GET', '/notes/1', undefined, { 'x-key': 'backend-key' })).status, 200)
  }),
)

test('weather that ends by itself says when', { skip }, () =>
  withConsole(browser, STORMY, async ({ page, open }) => {
    await open('weather')
    await page.getByLabel('How long it lasts').selectOption('10m')
    await page.getByRole('switch', { name: 'slow' }).click()
    await page.getByText(/^Clears by itself at \d+ \w+ \d{4}, \d\d:\d\d(:\d\d)? UTC\.$/).waitFor()
  }),
)
