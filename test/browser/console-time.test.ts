// The view Time of the console: the calendar with the clock as a line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sharedBrowser, withoutBrowser } from './chromium.ts'
import { CONFIG, withConsole } from './console.ts'

const skip = withoutBrowser
const browser = sharedBrowser()

const TIMED = {
  config: {
    ...CONFIG,
    consumers: { ...CONFIG.consumers, retired: { key: 'retired-key', expires: '2099-06-01' } },
    resources: {
      notes: {
        ...CONFIG.resources.notes,
        seed: [{ id: 1, text: 'first', colour: 'yellow' }],
        states: { field: 'colour', from: { yellow: { blue: { after: '30d' } } } },
      },
    },
  },
}

const clockLine = (page: Page) => page.getByRole('slider', { name: 'The clock of the world' })

async function worldTime(control: string, world = 'default'): Promise<number> {
  const { now } = (await (await fetch(`${control}/worlds/${world}/clock`)).json()) as { now: string }
  return Date.parse(now)
}

test('every kind of event is on the axis, and in the list', { skip }, () =>
  withConsole(browser, TIMED, async ({ page, open }) => {
    await open('time')
    await page.getByRole('grid').getByText('the credential of retired expires').waitFor()
    for (const lane of ['Deprecations', 'Sunsets', 'Key expiries', 'Record states']) {
      assert.equal(await page.getByRole('list', { name: lane }).getByRole('button').count(), 1, lane)
    }
    await page.getByRole('button', { name: 'Sunsets' }).click()
    await page.getByRole('grid').getByText('getOld is removed').waitFor({ state: 'hidden' })
    assert.match(page.url(), /hide=sunset/)
  }),
)

test('the clock is dragged to the sunset, and the operation is gone', { skip }, () =>
  withConsole(browser, TIMED, async ({ page, open, send, gateway }) => {
    await open('time')
    assert.equal((await send('GET', '/old')).status, 200)
    const sunset = await page.getByRole('button', { name: /^getOld is removed and answers 410/ }).boundingBox()
    const flag = await clockLine(page).boundingBox()
    assert.ok(sunset !== null && flag !== null)
    await page.mouse.move(flag.x + flag.width / 2, flag.y + 6)
    await page.mouse.down()
    await page.mouse.move((flag.x + sunset.x) / 2, flag.y + 6, { steps: 5 })
    // A pixel beside the event: the line snaps to it.
    await page.mouse.move(sunset.x + sunset.width / 2 + 1, flag.y + 6, { steps: 5 })
    await page.mouse.up()
    await page.locator('.announcement', { hasText: 'The clock shows 1 Jan 2100.' }).waitFor()
    assert.ok((await worldTime(gateway.control)) >= Date.parse('2100-01-01'))
    assert.equal((await send('GET', '/old')).status, 410)
    await page.getByRole('button', { name: 'Real time' }).click()
    await page.locator('.announcement', { hasText: 'The clock shows real time.' }).waitFor()
    assert.equal((await send('GET', '/old')).status, 200)
  }),
)

test('the clock is dragged by a finger, on a narrow screen', { skip }, () =>
  withConsole(
    browser,
    { ...TIMED, context: { hasTouch: true, viewport: { width: 360, height: 700 } } },
    async ({ page, open, gateway }) => {
      await open('time')
      const before = await worldTime(gateway.control)
      const line = (await clockLine(page).boundingBox()) as { x: number; y: number; width: number }
      const touches = await page.context().newCDPSession(page)
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
        touches.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: x === undefined ? [] : [{ x, y: line.y + 40 }],
        })
      const start = line.x + line.width / 2
      await touch('touchStart', start)
      for (let step = 1; step <= 8; step++) await touch('touchMove', start + step * 10)
      await touch('touchEnd')
      await page.locator('.announcement', { hasText: 'The clock shows' }).waitFor()
      assert.ok((await worldTime(gateway.control)) > before + 365 * 86_400_000)
    },
  ),
)

test('the clock is set to the day after the sunset, and back to real time', { skip }, () =>
  withConsole(browser, TIMED, async ({ page, open, send }) => {
    await open('time')
    await page.getByRole('grid').getByText('getOld is removed').click()
    await page.getByRole('button', { name: 'The day after' }).click()
    await page.locator('.announcement', { hasText: 'The clock shows 2 Jan 2100.' }).waitFor()
    assert.equal((await send('GET', '/old')).status, 410)
    await page.getByRole('button', { name: 'Real time' }).click()
    await page.locator('.announcement', { hasText: 'The clock shows real time.' }).waitFor()
    assert.equal((await send('GET', '/old')).status, 200)
  }),
)

test('the clock is moved by keys, with one request for several keys', { skip }, () =>
  withConsole(browser, TIMED, async ({ page, open, gateway }) => {
    await open('time')
    const before = await worldTime(gateway.control)
    await clockLine(page).focus()
    let changes = 0
    page.on('request', request => {
      if (request.method() === 'PUT' && request.url().endsWith('/clock')) changes += 1
    })
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await page.locator('.announcement', { hasText: 'The clock shows' }).waitFor()
    assert.ok((await worldTime(gateway.control)) > before + 365 * 86_400_000)
    assert.equal(changes, 1)
    assert.match((await clockLine(page).getAttribute('aria-valuetext')) ?? '', /^\d+ \w+ \d{4}/)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Escape')
  }),
)

test('a chosen event has a URL, and the clock of a sandbox is set to it', { skip }, () =>
  withConsole(browser, TIMED, async ({ page, open, gateway, send }) => {
    gateway.world('sandbox')
    await open('time?world=sandbox')
    await page.getByRole('grid').getByText('notes 1: yellow → blue').click()
    await page.getByRole('button', { name: 'Set the clock to it' }).click()
    await page.locator('.announcement', { hasText: 'The clock shows' }).waitFor()
    const inSandbox = { 'understudy-world': 'sandbox' }
    assert.equal(
      ((await (await send('GET', '/notes/1', undefined, inSandbox)).json()) as { colour: string }).colour,
      'blue',
    )
    assert.equal(((await (await send('GET', '/notes/1')).json()) as { colour: string }).colour, 'yellow')
    const place = page.url()
    assert.match(place, /event=state/)
    await page.getByRole('grid').getByText('getOld is removed').click()
    await page.getByRole('link', { name: 'Open getOld' }).waitFor()
  }),
)

test('the range is zoomed and moved, and is in the URL', { skip }, () =>
  withConsole(browser, TIMED, async ({ page, open }) => {
    await open('time')
    await page.getByRole('button', { name: 'Day', exact: true }).click()
    assert.match(decodeURIComponent(page.url()), /range=\d{4}-\d\d-\d\dT\d\d:\d\dZ~/)
    await page.getByRole('button', { name: 'Later' }).click()
    await page.getByRole('button', { name: 'Later' }).click()
    await page.getByRole('button', { name: /^← The clock shows/ }).click()
    await clockLine(page).waitFor()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    assert.doesNotMatch(page.url(), /range=/)
  }),
)

const {
  operations: { getOld: _, ...operations },
  ...rest
} = CONFIG

test('an empty calendar says what can appear on it', { skip }, () =>
  withConsole(browser, { config: { ...rest, operations } }, async ({ page, open }) => {
    await open('time')
    await page.getByRole('heading', { name: 'Nothing is on the calendar' }).waitFor()
  }),
)
