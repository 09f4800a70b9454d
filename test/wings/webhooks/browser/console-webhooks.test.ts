// The view Webhooks of the console: deliveries, one more attempt, and an event by hand.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { sharedBrowser, withoutBrowser } from '../../../browser/chromium.ts'
import { CONFIG, findingsAtWidths, withConsole } from '../../../browser/console.ts'

const skip = withoutBrowser
const browser = sharedBrowser()
let status = 503
const receiver = createServer((_, reply) => void reply.writeHead(status, { connection: 'close' }).end('{"error":"no"}'))
await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
after(() => receiver.close())

const to = `http://localhost:${(receiver.address() as AddressInfo).port}/hooks`
const config = {
  ...CONFIG,
  webhooks: {
    noteKept: { on: { create: 'notes' }, to, schema: 'Note', sign: { scheme: 'stripe', secret: 'a-secret-of-a-test' } },
  },
}

test('deliveries are shown with their attempts, made once more, and sent by hand', { skip }, () =>
  withConsole(browser, { config }, async ({ page, open, send }) => {
    await open('webhooks')
    await page.getByText('0 deliveries').waitFor()
    await send('POST', '/notes', { text: 'second' })
    const row = page.getByRole('row', { name: /noteKept/ })
    await row.waitFor()
    assert.match(
      (await row.textContent()) ?? '',
      /noteKeptpendinghttp:\/\/localhost:\d+\/hookscreate notes 2default.*1$/,
    )
    await row.getByRole('link').click()
    const side = page.getByRole('complementary', { name: 'The chosen delivery' })
    await side.getByText('the receiver answered 503').waitFor()
    await side.getByText('stripe-signature').waitFor()
    assert.deepEqual(await findingsAtWidths(page), [])
    status = 204
    await side.getByRole('button', { name: 'Deliver again' }).click()
    await side.getByText('delivered').waitFor()
    await side.getByRole('button', { name: 'Close the delivery' }).click()
    await page.getByRole('button', { name: 'Send an event' }).click()
    await page.getByText('2 deliveries').waitFor()
    assert.deepEqual(await findingsAtWidths(page), [])
    // All views are in the bar of a small phone.
    await page.setViewportSize({ width: 360, height: 800 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  }),
)

test('the view says what can appear in it', { skip }, () =>
  withConsole(browser, {}, async ({ page, open }) => {
    await open('webhooks')
    await page.getByRole('heading', { name: 'No webhooks are delivered' }).waitFor()
  }),
)
