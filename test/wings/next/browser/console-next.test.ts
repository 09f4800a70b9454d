// The view of the next contract: who breaks, and the reasons.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sharedBrowser, withoutBrowser } from '../../../browser/chromium.ts'
import { CONFIG, findingsAtWidths, withConsole } from '../../../browser/console.ts'

const browser = sharedBrowser()
const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(folder, { recursive: true }))

const NEXT = join(folder, 'next.json')
const next = structuredClone(CONFIG.contract)
next.components.schemas.Note.required.push('title')
writeFileSync(NEXT, JSON.stringify(next))

test('a verdict opens its reason, and the view can be read at four widths', { skip: withoutBrowser }, () => {
  return withConsole(browser, { config: { ...CONFIG, next: NEXT } }, async ({ page, open, send }) => {
    await send('POST', '/notes', { text: 'Buy milk' })
    await open('next')
    await page.getByRole('row').filter({ hasText: 'createNote' }).getByRole('link', { name: 'breaks' }).click()
    const reasons = page.getByRole('complementary', { name: 'The chosen call' })
    assert.match((await reasons.textContent()) ?? '', /\/title is required/)
    assert.deepEqual(await findingsAtWidths(page), [])
  })
})
