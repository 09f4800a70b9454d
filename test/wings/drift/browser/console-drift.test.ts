// The view of drift: a real API that lies, behind a gateway.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sharedBrowser, withoutBrowser } from '../../../browser/chromium.ts'
import { findingsAtWidths, withConsole } from '../../../browser/console.ts'
import { lyingContract, startLyingServer } from '../wire/lying-server.ts'

const browser = sharedBrowser()
const liar = await startLyingServer(true)
after(() => liar.close())

test('the view has the three answers, and can be read at four widths', { skip: withoutBrowser }, () => {
  const config = { contract: lyingContract, upstream: { url: liar.url }, defaults: { respond: { forward: {} } } }
  return withConsole(browser, { config }, async ({ page, open, send }) => {
    await open('drift')
    await page.getByText('0 differences in 0 compared replies').waitFor()
    for (const name of ['missingField', 'nullTitle', 'nullTitle']) await (await send('GET', `/${name}`)).text()
    const row = page.getByRole('row').filter({ hasText: 'nullTitle' })
    await row.getByRole('cell', { name: '2', exact: true }).waitFor()
    assert.match((await row.textContent()) ?? '', /unexpected-null.*\/title.*must be a string.*string.*null/)
    assert.deepEqual(await findingsAtWidths(page), [])
    // All views are in the bar of a small phone.
    await page.setViewportSize({ width: 360, height: 800 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  })
})
