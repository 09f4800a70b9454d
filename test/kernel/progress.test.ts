import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showProgress } from '../../src/kernel/terminal.ts'

function screen() {
  const written: string[] = []
  let time = 0
  const shown = showProgress({ write: text => written.push(text), now: () => time })
  return {
    written,
    ...shown,
    at(milliseconds: number) {
      time = milliseconds
    },
  }
}

test('work of less than a second shows nothing', () => {
  const { written, report, clear, at } = screen()
  report('reading a.yaml')
  at(999)
  report('calling every operation:', 3, 9)
  clear()
  assert.deepEqual(written, [])
})

test('work of more than a second shows its progress in one line that is cleared at the end', () => {
  const { written, report, clear, at } = screen()
  at(1000)
  report('calling every operation:', 3, 9)
  at(1050)
  report('calling every operation:', 4, 9)
  at(1100)
  report('calling every operation:', 5, 9)
  report('checking examples')
  clear()
  clear()
  const clean = '\r\u001b[K'
  assert.deepEqual(written, [
    `${clean}calling every operation: 3 of 9 …`,
    `${clean}calling every operation: 5 of 9 …`,
    `${clean}checking examples …`,
    clean,
  ])
})
