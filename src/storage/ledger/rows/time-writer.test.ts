import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from '../../../kit/bytes/byte-writer.ts'
import { TimeWriter } from './time-writer.ts'

test('times are written as ISO 8601, whichever time was written before', () => {
  const [writer, out] = [new TimeWriter(), new ByteWriter()]
  const time = fc.integer({ min: -1e12, max: 8e12 })
  const near = fc.integer({ min: -4_000_000, max: 4_000_000 })
  fc.assert(
    fc.property(time, fc.array(near, { maxLength: 5 }), (atMs, others) => {
      for (const each of [atMs, ...others.map((away) => atMs + away)]) {
        writer.write(out, each)
        expect(Buffer.from(out.flush()).toString()).toBe(new Date(each).toISOString())
      }
    }),
  )
})
