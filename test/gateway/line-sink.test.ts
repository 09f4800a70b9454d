import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LineSink } from '../../src/gateway/log.ts'

/** A descriptor whose writes and pauses the test controls. */
function create() {
  const asked: { text: string; done: (error: NodeJS.ErrnoException | null, written: number) => void }[] = []
  const pauses: (() => void)[] = []
  const recovered: number[] = []
  let written = ''
  const sink = new LineSink(
    (bytes, done) => void asked.push({ text: bytes.toString(), done }),
    (_, task) => void pauses.push(task),
    lines => void recovered.push(lines),
  )
  return {
    sink,
    recovered,
    written: () => written,
    asked: () => asked.length,
    take(bytes?: number) {
      const { text, done } = asked.shift() ?? assert.fail('nothing is being written')
      written += text.slice(0, bytes)
      done(null, Math.min(bytes ?? text.length, text.length))
    },
    refuse(code: string) {
      const { done } = asked.shift() ?? assert.fail('nothing is being written')
      done(Object.assign(new Error(code), { code }), 0)
    },
    wake: () => pauses.shift()?.(),
  }
}

test('lines are written in order, and lines that arrive meanwhile in one write', () => {
  const { sink, take, written, asked } = create()
  for (const line of ['a\n', 'b\n', 'c\n']) sink.write(line)
  take()
  take()
  assert.deepEqual([written(), asked(), sink.lost], ['a\nb\nc\n', 0, 0])
})

test('lines are dropped while the disk is full, counted, and reported once afterwards', () => {
  const { sink, take, refuse, wake, written, recovered, asked } = create()
  sink.write('a\n')
  sink.write('b\n')
  refuse('ENOSPC')
  assert.equal(asked(), 0, 'a descriptor that refused is left alone for a while')
  sink.write('c\n')
  wake()
  refuse('ENOSPC')
  assert.deepEqual([sink.lost, recovered], [3, []])
  wake()
  sink.write('d\n')
  take()
  sink.write('e\n')
  take()
  assert.deepEqual([written(), sink.lost, recovered], ['d\ne\n', 3, [3]])
})

test('a line after a partial write begins on a new line', () => {
  const { sink, take, refuse, wake, written } = create()
  sink.write('abc\n')
  take(2)
  refuse('ENOSPC')
  wake()
  sink.write('def\n')
  take()
  assert.deepEqual([written(), sink.lost], ['ab\ndef\n', 1])
})

test('a torn line counts once, however often the disk is found full, and a line without its end is whole', () => {
  const { sink, take, refuse, wake, written } = create()
  sink.write('abc\n')
  take(2)
  refuse('ENOSPC')
  assert.equal(sink.lost, 1)
  for (let i = 1; i <= 3; i++) {
    sink.write('ghi\n')
    wake()
    refuse('ENOSPC')
    assert.equal(sink.lost, 1 + i)
  }
  wake()
  sink.write('jkl\n')
  take(4)
  refuse('ENOSPC')
  assert.equal(sink.lost, 4, 'only the line end of "jkl" is missing')
  wake()
  sink.write('mno\n')
  take()
  assert.equal(written(), 'ab\njkl\nmno\n')
})

test('a busy descriptor is retried without a loss', () => {
  const { sink, take, refuse, wake, written } = create()
  sink.write('a\n')
  refuse('EAGAIN')
  wake()
  take()
  assert.deepEqual([written(), sink.lost], ['a\n', 0])
})

test('lines for a reader that never reads are kept up to a bound', () => {
  const { sink } = create()
  const line = `${'x'.repeat(999_999)}\n`
  for (let i = 0; i < 20; i++) sink.write(line)
  assert.equal(sink.lost, 15)
})

test('the sink is settled when all lines are written or cannot be written', async () => {
  const { sink, take, refuse } = create()
  await sink.settled()
  sink.write('a\n')
  const first = sink.settled()
  take()
  await first
  sink.write('b\n')
  const second = sink.settled()
  refuse('EPIPE')
  await second
})
