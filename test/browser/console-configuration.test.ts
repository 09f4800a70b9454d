// The configuration in the console: mistakes are shown at their place, applying serves the text, and no file is written.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sharedBrowser, withoutBrowser } from './chromium.ts'
import { CONFIG, withConsole } from './console.ts'

const skip = withoutBrowser
const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
const FILE = join(scratch, 'gateway.yaml')
const YAML = `contract: ./openapi.json
consumers:
  frontend: { key: frontend-key }
resources:
  notes: { schema: Note, seed: [{ id: 1, text: first }] }
operations:
  listNotes: { respond: { list: notes } }
`
const browser = sharedBrowser()
before(() => {
  writeFileSync(join(scratch, 'openapi.json'), JSON.stringify(CONFIG.contract))
  writeFileSync(FILE, YAML)
})
after(() => {
  rmSync(scratch, { recursive: true })
})

const start = { config: FILE }
const editorOf = (page: Page) => page.getByRole('textbox', { name: 'The configuration as YAML' })
/** Types at the end of the text. */
async function write(page: Page, text: string): Promise<void> {
  await editorOf(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText(text)
}

test('the editor marks a mistake at its place and does not apply it', { skip }, () =>
  withConsole(browser, { start }, async ({ page, open }) => {
    await open('configuration')
    await write(page, 'limts: { body: 1MB }\n')
    const mistake = page.getByRole('region', { name: 'Mistakes' }).getByRole('button')
    await mistake.waitFor()
    assert.match(await mistake.innerText(), /8:1\s+.*limts.*did you mean "limits"/s)
    assert.equal(await page.getByRole('button', { name: 'Apply' }).isDisabled(), true)
    await page.locator('.cm-lintRange-error').waitFor()
    await mistake.click()
    await page.keyboard.press('Shift+End')
    await page.keyboard.insertText('limits: { body: 1MB }')
    await page.getByText('Changed, not applied · no mistakes').waitFor()
    await page.getByRole('button', { name: 'Throw away' }).click()
    await page.getByText(`As in`).waitFor()
    assert.equal(readFileSync(FILE, 'utf8'), YAML)
  }),
)

test('an applied configuration is served at once, masks credentials, and can be reverted to the file', { skip }, () =>
  withConsole(browser, { start }, async ({ page, open, send }) => {
    await open('configuration')
    await editorOf(page).waitFor()
    assert.match(await editorOf(page).innerText(), /<masked:frontend\.key>/)
    await write(page, '  createNote: { respond: { status: 400 } }\n')
    await page.getByText('Changed, not applied · no mistakes').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Applied, not in').waitFor()
    assert.equal((await send('POST', '/notes', { text: 'more' })).status, 400)
    await page.getByRole('tab', { name: 'Difference to the file' }).click()
    await page.locator('.cm-changedLine, .cm-insertedLine').first().waitFor()
    assert.match(page.url(), /show=difference/)
    await page.getByRole('button', { name: 'Serve the file again' }).click()
    await page.getByText('The configuration equals the file.').waitFor()
    assert.notEqual((await send('POST', '/notes', { text: 'more' })).status, 400)
    assert.equal(readFileSync(FILE, 'utf8'), YAML)
  }),
)

test('the editor completes keys from the schema and the contract', { skip }, () =>
  withConsole(browser, { start }, async ({ page, open }) => {
    await open('configuration')
    await write(page, '  cre')
    await page.keyboard.press('Control+Space')
    await page.getByRole('option', { name: /createNote/ }).waitFor()
  }),
)
