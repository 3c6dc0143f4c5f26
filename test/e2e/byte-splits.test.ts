import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTerminated } from '../support/ask.ts'
import { createRelay, lanes, relayAll } from '../support/relays.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import { splitBytes } from '../support/scripted-upstream.ts'

describe.each(lanes)('a %s caller on a %s channel', (caller, channel) => {
  const { bytes } = sampleStreams[channel]
  const whole = relayAll(createRelay(caller, channel), [bytes])

  it('gets the whole answer', () => {
    expect(isTerminated(caller, whole)).toBe(true)
    expect(whole).toContain('Grüße, ')
    if (caller === channel) expect(whole).toBe(bytes.toString())
  })

  it('gets the same answer for every split into two parts, and byte by byte', () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
      expect(relayAll(createRelay(caller, channel), pieces), `parted at ${at}`).toBe(whole)
    }
    expect(relayAll(createRelay(caller, channel), splitBytes(bytes, 1))).toBe(whole)
  })

  it('gets the same answer for any split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        const edges = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
        const pieces = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
        expect(relayAll(createRelay(caller, channel), pieces)).toBe(whole)
      }),
    )
  })

  it('gets the same answer with other line endings', () => {
    for (const lineEnd of ['\r\n', '\r']) {
      const other = Buffer.from(bytes.toString().replaceAll('\n', lineEnd))
      const expected = relayAll(createRelay(caller, channel), [other])
      if (caller !== channel) expect(expected).toBe(whole)
      expect(isTerminated(caller, expected)).toBe(true)
      // A frame goes out at the carriage return of its blank line, and its line feed after that.
      expect(relayAll(createRelay(caller, channel), splitBytes(other, 1))).toBe(expected)
    }
  })
})
