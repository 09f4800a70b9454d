// The view Deprecations of the console: the callers of what is deprecated.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sharedBrowser, withoutBrowser } from '../../../browser/chromium.ts'
import { CONFIG, withConsole } from '../../../browser/console.ts'

const skip = withoutBrowser
const browser = sharedBrowser()

test('callers of deprecated operations are shown as a table and a CSV file', { skip }, () =>
  withConsole(browser, {}, async ({ page, open, send }) => {
    await open('deprecations')
    await page.getByText('Nobody has called them yet').waitFor()
    assert.match((await page.getByRole('row', { name: /getOld/ }).textContent()) ?? '', /nobody0$/)
    await send('GET', '/old')
    await send('GET', '/old')
    const row = page.getByRole('row', { name: /frontend/ })
    await row.waitFor()
    assert.match((await row.textContent()) ?? '', /^getOld1 Jan 20201 Jan 2100\d+frontend2/)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const download = await saving
    assert.equal(download.suggestedFilename(), 'deprecations.csv')
    assert.match(await readFile((await download.path()) as string, 'utf8'), /getOld.*frontend/)
  }),
)

const {
  operations: { getOld: _, ...operations },
  ...rest
} = CONFIG

test('the view says what can appear in it', { skip }, () =>
  withConsole(browser, { config: { ...rest, operations } }, async ({ page, open }) => {
    await open('deprecations')
    await page.getByRole('heading', { name: 'Nothing is deprecated' }).waitFor()
  }),
)
